"""hierarchical: dies, packages, the system (18.5)."""

from typing import Dict, List, Tuple

from rings import Ring
from steps import Grid, Levels, Range, Request, Thread, Threads, Writer, block, blocks, neighbour_order
from trees import Place, hang, plan_tree


class Ranks:
    """A rank as (package, die, PE), and back."""

    def __init__(self, levels: Levels) -> None:
        self.levels = levels

    def rank(self, package: int, die: int, pe: int) -> int:
        return (package * self.levels.dies.count + die) * self.levels.pes.count + pe

    def of(self, rank: int) -> Tuple[int, int, int]:
        rest, pe = divmod(rank, self.levels.pes.count)
        package, die = divmod(rest, self.levels.dies.count)
        return package, die, pe


def towards(grid: Grid, cell: int, root: int) -> int:
    """The neighbour on the way to the root: along the row to its column, then along the column."""
    row, column = divmod(cell, grid.columns)
    root_row, root_column = divmod(root, grid.columns)
    if column != root_column:
        return cell + (1 if column < root_column else -1)
    return cell + (grid.columns if row < root_row else -grid.columns)


def plan_hierarchical(request: Request, levels: Levels, threads: Threads) -> None:
    if request.collective == "all_reduce":
        AllReduce(request, levels).plan(threads)
    elif request.collective in ("broadcast", "reduce"):
        plan_one_tree(request, levels, threads)
    else:
        for rank, of_rank in enumerate(threads):
            of_rank.append([])
            plan_rings_of_levels(request, levels, rank, Writer(of_rank[0], request.chunk))


def plan_one_tree(request: Request, levels: Levels, threads: Threads) -> None:
    """broadcast, reduce."""
    ranks = Ranks(levels)
    root_package, root_die, root_pe = ranks.of(request.root)
    tree = [Place() for _ in range(levels.count)]
    turn: Dict[int, int] = {}  # of a rank among its parent's children
    for rank in range(levels.count):
        package, die, pe = ranks.of(rank)
        if pe != root_pe:
            parent, turn[rank] = ranks.rank(package, die, towards(levels.pes, pe, root_pe)), 3
        elif die != root_die:
            above = towards(levels.dies, die, root_die)
            in_column = (die - above) % levels.dies.columns == 0
            parent, turn[rank] = ranks.rank(package, above, pe), 1 if in_column else 2
        elif package != root_package:
            parent, turn[rank] = ranks.rank(towards(levels.packages, package, root_package), die, pe), 0
        else:
            continue
        hang(tree, rank, parent)
    for place in tree:
        place.children.sort(key=lambda child: (turn[child], child))
    plan_tree(request, tree, (0, request.count), 0, threads)


def plan_rings_of_levels(request: Request, levels: Levels, rank: int, writer: Writer) -> None:
    """reduce_scatter, all_gather: a place owns the blocks of all ranks there whose places before are the sender's."""
    ranks, grids = Ranks(levels), (levels.packages, levels.dies, levels.pes)
    own, of_rank = ranks.of(rank), blocks((0, request.count), levels.count)
    scatters = request.collective == "reduce_scatter"
    for level in (2, 1, 0) if scatters else (0, 1, 2):
        order, inside = neighbour_order(grids[level]), own[level + 1 :]
        members = [ranks.rank(*own[:level], at, *inside) for at in order]
        owners = [[other for other in range(levels.count) if ranks.of(other)[level:] == (at, *inside)] for at in order]
        owned = [[of_rank[owner] for owner in of_place] for of_place in owners]
        ring = Ring(writer, members, order.index(own[level]), owned)
        if scatters:
            ring.reduce_scatter()
        else:
            ring.all_gather()


class AllReduce:
    """The numbers in brackets are those of 18.5."""

    def __init__(self, request: Request, levels: Levels) -> None:
        self._request, self._levels, self._ranks = request, levels, Ranks(levels)
        dies = levels.dies
        self._root = dies.rows // 2 * dies.columns + dies.columns // 2 if request.root_die == "centre" else 0

    def plan(self, threads: Threads) -> None:
        order = neighbour_order(self._levels.pes)
        for rank, of_rank in enumerate(threads):
            package, die, pe = self._ranks.of(rank)
            members = [self._ranks.rank(package, die, at) for at in order]
            shards = [[block((0, self._request.count), len(order), at)] for at in order]
            place = order.index(pe)
            (shard,) = shards[place]
            of_rank.append([])
            Ring(self._writer(of_rank[0]), members, place, shards).reduce_scatter()  # (1)
            self._lane(of_rank, rank, shard)
            Ring(self._writer(of_rank[-1], channel=1), members, place, shards).all_gather()  # (7)

    def _writer(self, thread: Thread, channel: int = 0) -> Writer:
        return Writer(thread, self._request.chunk, channel)

    def _lane(self, of_rank: List[Thread], rank: int, shard: Range) -> None:
        """(2) to (6)."""
        package, die, pe = self._ranks.of(rank)
        place = self._place(package, die, pe)
        first = self._writer(of_rank[0])
        if place.parent:
            place.up(first, shard)
            if shard[1]:
                of_rank.append([])
            place.down(self._writer(of_rank[-1]), shard)
        elif self._levels.packages.count == 1:
            place.turn(first, shard)
        else:
            place.up(first, shard)
            self._exchange(first, package, die, pe, shard)
            place.down(first, shard)

    def _place(self, package: int, die: int, pe: int) -> Place:
        """A die in the tree of a package: children are first those in the column, then those in the row."""
        dies = self._levels.dies

        def rank(of_die: int) -> int:
            return self._ranks.rank(package, of_die, pe)

        below = [
            other for other in range(dies.count) if other != self._root and towards(dies, other, self._root) == die
        ]
        below.sort(key=lambda other: ((other - die) % dies.columns != 0, other))
        above = [] if die == self._root else [towards(dies, die, self._root)]
        return Place([rank(other) for other in above], [rank(other) for other in below])

    def _exchange(self, writer: Writer, package: int, die: int, pe: int, shard: Range) -> None:
        """(4)."""
        order = neighbour_order(self._levels.packages)
        members = [self._ranks.rank(other, die, pe) for other in order]
        if len(order) == 2:
            other = members[1 - order.index(package)]
            writer.send(other, shard)
            writer.take("reduce", other, shard)
            return
        owned = [[block(shard, len(order), other)] for other in order]
        Ring(writer, members, order.index(package), owned).all_reduce()
