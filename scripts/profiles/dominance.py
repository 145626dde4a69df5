"""Pages read, pages written, and mixed ones, as papers/002 has them."""

from __future__ import annotations

from profiles.shape import EXTENT, PAGE, SIZE, SKEW, PageClass, Published, extents

# papers/002. Figure 3: 91.6% of the requests are to pages of which more than 90% of the requests are of
# one kind. Figure 6: 96.4% of the requests are of the kind of the last request to their page, 96.9% of the
# kind of most of the last three. A request of the other kind on a dominant page (share p of its requests) is
# two errors with one and one with three; the end of a run of requests of one kind on a mixed page (1/L of its
# requests) one with one and two with three:
#     2 p 0.916 + 0.084 / L = 0.036        p 0.916 + 2 0.084 / L = 0.031
ODD = 0.015
RUN = 9.7
# Share of requests to mixed pages, so that the mean of the seven is 8.4%: at most as many as there are
# writes.
MIXED = 0.0952
# Assumed: pages that get both are few and hot, the least that there may be.
MIXED_BYTES = 2 * EXTENT


def of_dominance(counts: Published, name: str, description: str, read_share: float) -> Published:
    """The same counts with classes as papers/002 has them: pages read, pages written, and mixed ones."""
    mixed = min(MIXED, 1 - read_share, read_share)
    dominant = 1 - mixed
    # Reads: those of read pages, the odd ones of written pages, half of the requests to mixed ones.
    read = (read_share - mixed / 2 - dominant * ODD) / (1 - 2 * ODD)
    written = dominant - read
    both = mixed / 2
    pages = sum(page_class.bytes for page_class in counts.classes) / PAGE
    # A turn of so many requests to mixed pages has a run on each page of a half.
    turns = round(2 * RUN * (MIXED_BYTES / 2 / PAGE) / (SIZE / PAGE))

    def shares(reads: float, writes: float) -> tuple[float, float]:
        return reads / read_share, writes / (1 - read_share)

    return Published(
        name=name,
        description=description,
        fit_for="published_characteristics",
        source=f"{counts.source}; classes of pages: papers/002, figures 3 and 6",
        requests=counts.requests,
        read_share=read_share,
        read_bytes=counts.read_bytes,
        write_bytes=counts.write_bytes,
        idle_gap_ns=counts.idle_gap_ns,
        classes=[
            PageClass(
                "read",
                extents(pages * read),
                *shares(read * (1 - ODD), read * ODD),
                "zipf",
                SKEW,
            ),
            PageClass(
                "written",
                extents(pages * written),
                *shares(written * ODD, written * (1 - ODD)),
                "zipf",
                SKEW,
            ),
            PageClass("mixed", MIXED_BYTES, *shares(both, both), "uniform", turns=turns),
        ],
        trace_files=counts.trace_files,
    )
