"""Keys of an exhibit's file, each with its meaning: the reference of exhibits prints them."""

from __future__ import annotations

KEYS = {
    "title": "what the exhibit shows, in a line",
    "about": "source, reading, and what the numbers depend on",
    "workload_is": "`own` (default), `twin` or `other`: how its workload relates to the paper's",
    "sweep": "what is run, as in the file of a sweep",
    "quick": "laid over `sweep` by `--quick`",
    "quick_needs": "`column`, `above`, `where`: what must have happened in the lines of a number for it "
    "to be reproduced or in direction, and under `--quick` for any verdict",
    "columns": "columns of the table: name → form, below",
    "called": "what values of columns are called in the table, where runs that stand for each other differ",
    "figure": "the picture: `kind` (`line`, `bar`, `grid`: changes against `base`), `x`, `y`, `series`, "
    "`panel` (a column or several: a picture for each of its values), `second` (what differs in another "
    "picture beside it), `relative_to` (`y` by the line with these words and the same `x`), `reference`, "
    "labels and scales",
    "number": "tables `[[number]]`: what is compared with print, below",
    "variant": "tables `[[variant]]`: every number of the scheme `of` once more for `scheme`, called "
    "`named`, uncounted",
    "needs": "files below `--traces`; in the sweep `{traces}` stands for that folder",
    "measured": "`file`: a CSV beside the exhibit with the columns `by`, `figure`, `value`, `unit`, "
    "`note`; or `table`: a file in the folder of `--measured`, without which the exhibit is skipped. "
    "`within`, and `bounds` of single figures: a share, `{ off = 2.0 }` in the figure's unit, `{ factor = "
    "1.5 }` either way",
    "load": "in the place of `sweep`: `drives` at all their measured points of load by the protocol of "
    "`wordline calibrate`, `probes` and `quick_probes` a point, `orders`: figures whose order of drives "
    "is compared",
    "parts": "each run gives a line for each `share` of the drive written; `workload.measure.interval_ns` "
    "must be set",
    "left_out": "schemes that a drive can't have, each with the reason",
}
"""Keys of the file."""

NUMBER_KEYS = {
    "metric": "what it is called",
    "value": "the column that has it",
    "target": "the printed number: a column, or a value",
    "where": "the lines that it is of: column → value; a list stands for any of its values",
    "within": "a bound of its own, where it is of a closed form",
    "unit": "its unit; `ratio` for a change, `order` for names",
    "kind": "`change`, `factor`, `level` or `order`, where the words of the metric don't tell it",
    "note": "shown where it was not reproduced: what was tried",
    "line": "exhibit, workload, metric, …: the target is this line of `headline.csv`",
    "against": "the lines that those of `where` are set against",
    "analysis": "how a number comes out of several lines, below; a mean change where `against` stands alone",
    "over": "the columns in which both sides agree; all others when left out",
    "limit": "of analyses that count or bound",
    "by": "the column of names or places of an analysis",
    "names": "what the names of a printed order are in the table; names joined by `and` have no order "
    "among themselves",
    "base": "the lines by which points are reckoned",
    "above": "points count from here on",
    "weights": "values of `over` columns whose lines count several times: value → how often",
    "per": "the column by which what was removed is divided",
    "not_comparable": "why it is the same by construction",
    "variant": "it is another reading of a number that is there",
    "uncounted": "why it has no mark",
    "mark": "with which others it shares one",
}
"""Keys of a `[[number]]`."""

JUDGED_BY = ("within", "kind", "note", "not_comparable", "variant", "uncounted", "mark")
"""Those that decide what a number is taken for, and not what it is."""

VARIANT_KEYS = {
    "of": "the scheme whose numbers are told once more",
    "scheme": "the scheme that they are told of",
    "named": "what they are called",
}
"""Keys of a `[[variant]]`."""

FORMS = {
    "PATH": "a column of the rows: a figure by its path in `result.json`, or an axis",
    "config.PATH": "a key of the configuration in force",
    "ratio:A/B": "either may be of the forms that follow",
    "product:A*B": "a factor may be a number",
    "sum:A+B": "of any of these; what a run doesn't name is nothing",
    "reclaims:NAME": "a figure of the reclaims, or of those of one round: `reclaims:NAME@ROUND`",
    "formula:NAME": "a closed form of the configuration",
    "response.mean_ns": "reads and writes together",
    "trace:PATH": "of the requests, as `wordline trace info` has them",
    "curve:PATH@SHARE": "what this share of the members makes up of all occurrences, the most frequent first",
    "relative:A@B=TEXT": "column A by that of the line whose column B is TEXT",
    "measured.FIGURE": "what was measured, for pictures; `probe.FIGURE` with `load`, `part.written`, "
    "`part.mib_per_s` and `part.waf` with `parts`",
}
"""Forms of a column."""
