//! A die: one array operation at a time, queues by class, and a page register that holds data until it has left.

use serde::{Deserialize, Serialize};

use crate::sched::queue::{Fifo, NONE, OpId, OpPool};
use wordline_base::class::{CLASSES, Class, FlashOp};
use wordline_base::clock::ClassClock;
use wordline_base::parts::Parts;
use wordline_base::time::Ns;

/// What a die is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Nothing.
    Idle,
    /// Its next command waits for the channel (and, for a program, its data).
    Command,
    /// The cell array works; the die's event is the end of it.
    Array,
    /// Data in the page register waits for the channel.
    DataWait,
    /// Data leaves; the die's event is the end of it.
    DataOut,
    /// A program or erase is being suspended; the die's event is the end of it.
    Suspending,
    /// Data moves between the page register and the cache register; the die's event is the end of it. For a read, the
    /// next one's command passes before.
    Moving,
    /// Data comes into the cache register while the array programs; the die's event is the end of it.
    Loading,
    /// Data in the cache register waits until the array has programmed.
    Loaded,
}

/// A command: up to one head for each plane, linked.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Command {
    /// First head.
    pub head: OpId,
    /// Class of all of them.
    pub class: Class,
    /// Heads.
    pub planes: u32,
    /// Time of the cell array.
    pub cell: Ns,
    /// Suspensions so far.
    pub suspensions: u32,
    /// A cache read: the array began while the data of another read was in the cache register.
    pub follows: bool,
    /// What it does beside its class.
    pub form: CommandForm,
    /// Parts of the response time since the command was chosen.
    pub parts: Parts,
}

/// What a command does beside its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandForm {
    /// Nothing else.
    Plain,
    /// A copyback whose pages are being read.
    CopybackRead,
    /// A copyback whose pages are being programmed.
    CopybackProgram,
    /// The same, behind a check of the data by the controller.
    CopybackChecked,
}

impl Command {
    /// Another command, whose parts are set apart from this.
    #[inline]
    pub fn begin(&mut self, head: OpId, class: Class, planes: u32, cell: Ns, suspensions: u32) {
        (self.head, self.class, self.planes) = (head, class, planes);
        (self.cell, self.suspensions) = (cell, suspensions);
        (self.follows, self.form) = (false, CommandForm::Plain);
    }

    /// Whether it moves no data together with its command.
    #[inline]
    pub fn is_bare(&self) -> bool {
        match self.form {
            CommandForm::Plain => self.class.op() != FlashOp::Program,
            CommandForm::CopybackRead | CommandForm::CopybackProgram => true,
            CommandForm::CopybackChecked => false,
        }
    }
}

impl Default for Command {
    /// None.
    fn default() -> Self {
        Self {
            head: NONE,
            class: Class::HostRead,
            planes: 0,
            cell: Ns::ZERO,
            suspensions: 0,
            follows: false,
            form: CommandForm::Plain,
            parts: Parts::default(),
        }
    }
}

/// A program or erase that waits to go on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Suspended {
    /// The command.
    pub command: Command,
    /// Time of the cell array that is left.
    pub left: Ns,
    /// When suspending began; then, when the die was free for reads.
    pub since: Ns,
    /// The die's clock at that time.
    pub snapshot: ClassClock,
}

/// A wait for the channel.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ChannelWait {
    /// The class on the channel when the wait began, and the time that it had left.
    pub ahead: (Class, u64),
    /// The channel's clock when the wait began.
    pub snapshot: ClassClock,
    /// Bus time that is wanted.
    pub duration: Ns,
}

/// State of one die.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Die {
    queues: [Fifo; CLASSES],
    /// Classes whose queue is not empty, one bit each.
    waiting: u32,
    /// What it is doing.
    pub phase: Phase,
    /// The command that occupies it; `head` is [`NONE`] when there is none.
    pub command: Command,
    /// When the array's work begins and ends.
    pub array: [Ns; 2],
    /// Bus time of the data that is leaving.
    pub data_out: Ns,
    /// The command that it interrupted.
    pub suspended: Option<Suspended>,
    /// What it waits for on the channel.
    pub channel_wait: ChannelWait,
    clock: ClassClock,
    occupied: Option<(Class, Ns)>,
}

impl Default for Die {
    fn default() -> Self {
        Self {
            queues: [Fifo::default(); CLASSES],
            waiting: 0,
            phase: Phase::Idle,
            command: Command::default(),
            array: [Ns::ZERO; 2],
            data_out: Ns::ZERO,
            suspended: None,
            channel_wait: ChannelWait {
                ahead: (Class::HostRead, 0),
                snapshot: ClassClock::default(),
                duration: Ns::ZERO,
            },
            clock: ClassClock::default(),
            occupied: None,
        }
    }
}

impl Die {
    /// Time that the die has been occupied, by class, up to `now`.
    pub fn clock(&self, now: Ns) -> ClassClock {
        let mut clock = ClassClock::default();
        self.note_clock(now, &mut clock);
        clock
    }

    /// Makes `clock` show that.
    #[inline]
    pub fn note_clock(&self, now: Ns, clock: &mut ClassClock) {
        self.clock.copy_to(clock);
        if let Some((class, since)) = self.occupied {
            clock.add(class, now.since(since).0);
        }
    }

    /// What occupies it counts in its clock up to `now`.
    #[inline]
    pub fn bring_clock_to(&mut self, now: Ns) -> &ClassClock {
        if let Some((class, since)) = &mut self.occupied {
            self.clock.add(*class, now.since(*since).0);
            *since = now;
        }
        &self.clock
    }

    /// From now on the die is occupied by this class, or free.
    #[inline]
    pub fn occupy(&mut self, class: Option<Class>, now: Ns) {
        if let Some((old, since)) = self.occupied {
            self.clock.add(old, now.since(since).0);
        }
        self.occupied = class.map(|class| (class, now));
    }

    /// The queues by class.
    pub fn queues(&self) -> &[Fifo; CLASSES] {
        &self.queues
    }

    /// Classes of which a head waits, one bit each.
    #[inline]
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Whether anything waits, or was interrupted.
    #[inline]
    pub fn has_work(&self) -> bool {
        self.waiting != 0 || self.suspended.is_some()
    }

    /// Whether a head of this class waits.
    #[inline]
    pub fn waits(&self, class: Class) -> bool {
        self.waiting & (1 << class.index()) != 0
    }

    /// The head of this class that waits longest; [`NONE`] if none does.
    #[inline]
    pub fn first(&self, class: Class) -> OpId {
        self.queues[class.index()].head
    }

    /// Queues a head.
    #[inline]
    pub fn push(&mut self, pool: &mut OpPool, class: Class, head: OpId) {
        self.queues[class.index()].push(pool, head);
        self.waiting |= 1 << class.index();
    }

    /// Queues a head that came to another die earlier, by the order of arrival.
    pub fn push_in_order(&mut self, pool: &mut OpPool, class: Class, head: OpId) {
        self.queues[class.index()].insert_by_order(pool, head);
        self.waiting |= 1 << class.index();
    }

    /// Takes the first head of a class.
    #[inline]
    pub fn pop(&mut self, pool: &mut OpPool, class: Class) -> OpId {
        let head = self.queues[class.index()].pop(pool);
        self.note(class);
        head
    }

    /// Takes the head behind `previous` and returns the one after it (see [`Fifo::unlink`]).
    pub fn unlink(&mut self, pool: &mut OpPool, class: Class, previous: OpId, head: OpId) -> OpId {
        let after = self.queues[class.index()].unlink(pool, previous, head);
        self.note(class);
        after
    }

    #[inline]
    fn note(&mut self, class: Class) {
        if self.queues[class.index()].is_empty() {
            self.waiting &= !(1 << class.index());
        }
    }
}
