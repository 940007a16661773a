"""Trees of ranks (18.5)."""

from dataclasses import dataclass, field
from typing import Callable, List, Sequence, Tuple

from steps import Levels, Range, Request, Threads, Writer, block


@dataclass
class Place:
    """Of a rank in a tree."""

    parent: List[int] = field(default_factory=list)  # nothing of the root
    children: List[int] = field(default_factory=list)  # in their order

    def down(self, writer: Writer, elements: Range) -> None:
        writer.pass_on("receive", self.parent, elements, self.children)

    def up(self, writer: Writer, elements: Range) -> None:
        """18.4: from the children in the reverse order."""
        writer.pass_on("reduce", self.children[::-1], elements, self.parent)

    def turn(self, writer: Writer, elements: Range) -> None:
        """A root: each chunk, when it is reduced, goes down."""
        writer.pass_on("reduce", self.children[::-1], elements, self.children)


Tree = Sequence[Place]  # by rank


def hang(tree: Tree, child: int, parent: int) -> None:
    tree[child].parent.append(parent)
    tree[parent].children.append(child)


def plan_tree(request: Request, tree: Tree, elements: Range, channel: int, threads: Threads) -> None:
    for rank, place in enumerate(tree):

        def thread() -> Writer:
            threads[rank].append([])
            return Writer(threads[rank][-1], request.chunk, channel)

        if request.collective == "broadcast":
            place.down(thread(), elements)
        elif request.collective == "reduce":
            place.up(thread(), elements)
        elif place.parent:
            place.up(thread(), elements)
            place.down(thread(), elements)
        else:
            place.turn(thread(), elements)


def plan_binary(request: Request, levels: Levels, threads: Threads) -> None:
    """binary_tree; of an all_reduce the root is rank 0."""
    count = levels.count
    tree = [Place() for _ in range(count)]
    for number in range(1, count):
        hang(tree, (number + request.root) % count, ((number - 1) // 2 + request.root) % count)
    plan_tree(request, tree, (0, request.count), 0, threads)


def plan_binomial(request: Request, levels: Levels, threads: Threads) -> None:
    """recursive_doubling, of broadcast and reduce: the parent of u is u without its lowest set bit."""
    count = levels.count
    tree = [Place() for _ in range(count)]
    for number in range(count - 1, 0, -1):  # children in the order of falling u
        hang(tree, (number + request.root) % count, ((number & (number - 1)) + request.root) % count)
    plan_tree(request, tree, (0, request.count), 0, threads)


def tops(begin: int, count: int, found: List[Tuple[int, int]]) -> int:
    """The top of places [begin, begin + count); `found`: pairs of child and parent below it."""
    top = begin + (1 << (count.bit_length() - 1)) - 1
    for first, size in ((begin, top - begin), (top + 1, begin + count - top - 1)):
        if size:
            found.append((tops(first, size, found), top))
    return top


def plan_double_binary(request: Request, levels: Levels, threads: Threads) -> None:
    """double_binary_tree: each tree has half of the data and a channel."""
    count, others = levels.count, levels.count - 1
    at_place: List[Callable[[int], int]] = [
        lambda place: place,
        lambda place: others + 1 - place if others % 2 == 0 else place % others + 1,
    ]
    for number, number_at in enumerate(at_place):
        tree = [Place() for _ in range(count)]
        if others:
            pairs: List[Tuple[int, int]] = []
            top = tops(1, others, pairs)

            def rank(place: int) -> int:
                return (number_at(place) + request.root) % count

            hang(tree, rank(top), request.root)
            for child, parent in pairs:
                hang(tree, rank(child), rank(parent))
        for place in tree:
            place.children.sort()
        plan_tree(request, tree, block((0, request.count), 2, number), number, threads)
