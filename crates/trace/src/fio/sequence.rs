//! Which job begins behind which, and which end with others.

use super::options::Settings;
use super::values::{SECOND, time_ns};

/// When a job begins, and what its end does.
pub(super) struct Order {
    /// It begins when all before it have ended.
    pub stonewall: bool,
    pub new_group: bool,
    /// Figures are those of its reporting group.
    pub in_group: bool,
    /// It begins when this job has ended.
    pub wait_for: Option<String>,
    pub start_ns: u64,
    /// Which jobs end with it.
    pub ends: Option<Ends>,
}

/// Which jobs end with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Those of its reporting group.
    Group,
    /// All that run beside it: those between the same stonewalls.
    Running,
    All,
}

impl Order {
    pub(super) fn read(keys: &mut Settings<'_>) -> Self {
        let exits = keys.is_on("exitall");
        let what = keys.take_value("exit_what", |text| match text {
            "group" => Ok(Ends::Group),
            "stonewall" => Ok(Ends::Running),
            "all" => Ok(Ends::All),
            _ => Err("group, stonewall or all".into()),
        });
        let start = keys.take_value("startdelay", |text| match text.contains('-') {
            true => Err("one time: what is drawn from a range isn't modelled".into()),
            false => time_ns(text, SECOND),
        });
        Self {
            stonewall: keys.is_on("stonewall"),
            new_group: keys.is_on("new_group"),
            in_group: keys.is_on("group_reporting"),
            wait_for: keys.take_name("wait_for"),
            start_ns: start.unwrap_or(0),
            ends: exits.then(|| what.unwrap_or(Ends::Group)),
        }
    }
}

/// A job and the names of its flows.
pub(super) struct Placed<'a> {
    pub order: &'a Order,
    pub section: &'a str,
    pub flows: Vec<String>,
}

/// The flows that a job's begin and end depend on.
#[derive(Clone, Default)]
pub(super) struct Follows {
    /// Those that must have ended before it begins.
    pub after: Vec<String>,
    /// Those that end with it.
    pub ends: Vec<String>,
}

/// What each job follows. What is wrong comes with the job's place.
pub(super) fn follow(jobs: &[Placed<'_>]) -> Result<Vec<Follows>, (usize, String)> {
    let walls = numbered(jobs, |order| order.stonewall);
    let groups = reporting_groups(jobs);
    let flows_of = |chosen: &dyn Fn(usize) -> bool| -> Vec<String> {
        let all = jobs.iter().enumerate().filter(|(place, _)| chosen(*place));
        all.flat_map(|(_, job)| job.flows.iter().cloned()).collect()
    };
    let mut out = Vec::new();
    for (place, job) in jobs.iter().enumerate() {
        let at = |list: &[usize], place: usize| list.get(place).copied();
        // Those before the wall before wait for the wall before that.
        let mut after = flows_of(&|other| at(&walls, other).map(|wall| wall + 1) == at(&walls, place));
        if let Some(name) = &job.order.wait_for {
            let awaited =
                flows_of(&|other| other < place && jobs.get(other).is_some_and(|job| job.section == name));
            if awaited.is_empty() {
                return Err((place, format!("wait_for={name}: allowed: the name of a job before this one")));
            }
            after.extend(awaited.into_iter().filter(|name| !after.contains(name)).collect::<Vec<_>>());
        }
        let mut ends = match job.order.ends {
            None => Vec::new(),
            Some(Ends::Group) => flows_of(&|other| at(&groups, other) == at(&groups, place)),
            Some(Ends::Running) => flows_of(&|other| at(&walls, other) == at(&walls, place)),
            Some(Ends::All) => flows_of(&|_| true),
        };
        if job.flows.len() == 1 {
            ends.retain(|name| !job.flows.contains(name));
        }
        out.push(Follows { after, ends });
    }
    Ok(out)
}

/// The number of the reporting group of each job.
fn reporting_groups(jobs: &[Placed<'_>]) -> Vec<usize> {
    numbered(jobs, |order| order.stonewall || order.new_group)
}

/// The name of the reporting group of each job, that of its first job; empty where its flows are reported one by one, or there is
/// one only.
pub(super) fn reported(jobs: &[Placed<'_>]) -> Vec<String> {
    let groups = reporting_groups(jobs);
    let in_groups = || jobs.iter().zip(&groups).filter(|(job, _)| job.order.in_group);
    let name = |(job, group): (&Placed<'_>, &usize)| {
        let own = || in_groups().filter(|(_, other)| *other == group).map(|(job, _)| &job.flows);
        let several = own().map(Vec::len).sum::<usize>() > 1;
        match own().next().map(Vec::as_slice) {
            Some([first]) if several && job.order.in_group => first.clone(),
            // Copies have numbers behind the name of their job.
            Some([first, _, ..]) if job.order.in_group => {
                first.strip_suffix(".0").unwrap_or(first).to_owned()
            }
            _ => String::new(),
        }
    };
    jobs.iter().zip(&groups).map(name).collect()
}

/// Pairs of flows, of `all` there are, of which one begins or ends with the other, at most.
pub(super) fn pairs<'a>(jobs: impl Iterator<Item = (&'a Order, u64)>, all: u64) -> u64 {
    let (mut before_wall, mut behind_wall, mut pairs) = (0_u64, 0_u64, 0_u64);
    for (order, copies) in jobs {
        if order.stonewall {
            (before_wall, behind_wall) = (behind_wall, 0);
        }
        behind_wall = behind_wall.saturating_add(copies);
        let named = u64::from(order.wait_for.is_some()) + u64::from(order.ends.is_some());
        let others = before_wall.saturating_add(named.saturating_mul(all));
        pairs = pairs.saturating_add(copies.saturating_mul(others));
    }
    pairs
}

/// The number of the part that each job is in: some jobs begin a new one.
fn numbered(jobs: &[Placed<'_>], begins: impl Fn(&Order) -> bool) -> Vec<usize> {
    let number = |so_far: &mut usize, (place, job): (usize, &Placed<'_>)| {
        *so_far += usize::from(place > 0 && begins(job.order));
        Some(*so_far)
    };
    jobs.iter().enumerate().scan(0, number).collect()
}
