// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Where a caller believes an entry belongs; zero for no neighbour.
struct Hint {
    address prev;
    address next;
}

/// A list of accounts by descending stake. A wrong hint costs a search and
/// nothing else.
library SortedPool {
    struct Node {
        uint256 stake;
        address prev;
        address next;
        bool listed;
    }

    struct Pool {
        address head;
        address tail;
        uint256 size;
        uint256 maxSize;
        mapping(address => Node) nodes;
    }

    function contains(Pool storage pool, address who) internal view returns (bool) {
        return pool.nodes[who].listed;
    }

    function next(Pool storage pool, address who) internal view returns (address) {
        return pool.nodes[who].next;
    }

    function isFull(Pool storage pool) internal view returns (bool) {
        return pool.size >= pool.maxSize;
    }

    /// The entry leaves its place before the new one is looked for, so a hint that
    /// names the entry itself is of no use.
    function update(Pool storage pool, address who, uint256 stake, Hint memory hint) internal {
        remove(pool, who);
        insert(pool, who, stake, hint);
    }

    function remove(Pool storage pool, address who) internal {
        Node memory node = pool.nodes[who];
        if (node.prev == address(0)) pool.head = node.next;
        else pool.nodes[node.prev].next = node.next;
        if (node.next == address(0)) pool.tail = node.prev;
        else pool.nodes[node.next].prev = node.prev;
        delete pool.nodes[who];
        pool.size--;
    }

    function insert(Pool storage pool, address who, uint256 stake, Hint memory hint) internal {
        Hint memory place = fits(pool, stake, hint) ? hint : search(pool, stake, hint);
        pool.nodes[who] = Node(stake, place.prev, place.next, true);
        if (place.prev == address(0)) pool.head = who;
        else pool.nodes[place.prev].next = who;
        if (place.next == address(0)) pool.tail = who;
        else pool.nodes[place.next].prev = who;
        pool.size++;
    }

    /// Whether an entry with that stake may stand between the two of the hint.
    /// Equals may be on either side: only the hint decides which.
    function fits(Pool storage pool, uint256 stake, Hint memory hint) private view returns (bool) {
        if (hint.prev == address(0) && hint.next == address(0)) return pool.size == 0;
        if (hint.prev == address(0)) return pool.head == hint.next && stake >= pool.nodes[hint.next].stake;
        if (hint.next == address(0)) return pool.tail == hint.prev && stake <= pool.nodes[hint.prev].stake;
        return pool.nodes[hint.prev].next == hint.next && pool.nodes[hint.prev].stake >= stake
            && stake >= pool.nodes[hint.next].stake;
    }

    /// Looks downwards from prev or upwards from next where one of them is on the
    /// right side, and from the head otherwise.
    function search(Pool storage pool, uint256 stake, Hint memory hint) private view returns (Hint memory) {
        if (contains(pool, hint.prev) && pool.nodes[hint.prev].stake >= stake) return down(pool, stake, hint.prev);
        if (contains(pool, hint.next) && pool.nodes[hint.next].stake <= stake) return up(pool, stake, hint.next);
        if (pool.nodes[pool.head].stake <= stake) return Hint(address(0), pool.head);
        return down(pool, stake, pool.head);
    }

    function down(Pool storage pool, uint256 stake, address prev) private view returns (Hint memory) {
        address below = pool.nodes[prev].next;
        while (below != address(0) && pool.nodes[below].stake > stake) {
            prev = below;
            below = pool.nodes[prev].next;
        }
        return Hint(prev, below);
    }

    function up(Pool storage pool, uint256 stake, address below) private view returns (Hint memory) {
        address prev = pool.nodes[below].prev;
        while (prev != address(0) && pool.nodes[prev].stake < stake) {
            below = prev;
            prev = pool.nodes[below].prev;
        }
        return Hint(prev, below);
    }
}
