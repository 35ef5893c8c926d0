// SPDX-License-Identifier: Apache-2.0
// Calls named() with objects that variables lead to by pointers, and how the user writes each.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

struct Slot {
    int size = 0;
    volatile int full = 0;
    std::atomic<int> ready{0};
};

struct Queue {
    Slot *slots = new Slot[8];
    std::vector<std::atomic<int>> flags = std::vector<std::atomic<int>>(4);
    std::vector<std::unique_ptr<Slot>> owned;
    std::array<Slot *, 2> pair{new Slot, new Slot};
    Slot inside;
    void *opaque = std::malloc(64);
    Queue *next = nullptr;
};

enum { COUNTS = 4, TOTAL };  // names of variables, but for their case
int counts[COUNTS], total;
static Queue *queues;
static std::atomic<bool> go;

extern "C" __attribute__((noinline)) void named(const volatile void *object, const char *name) {
    __asm__ volatile("" : : "r"(object), "r"(name) : "memory");
}

// Not what its caller sees.
__attribute__((noinline)) static void of_file() {
    queues = new Queue[2];
    named(&queues[1].inside.full, "queues[1].inside.full");
    named(&queues->slots[2].full, "queues->slots[2].full");
    named(&go, "go");
    named(&counts[2], "counts[2]");
    named(&total, "total");
}

__attribute__((noinline)) static void of_frame(Queue *queue, Slot **rows, Slot *apart) {
    auto shared = std::make_shared<Slot>();
    std::vector<Slot> list(3);
    Slot around[4];
    named(&queue->slots[3].full, "queue->slots[3].full");
    named(&queue->slots->ready, "queue->slots->ready");
    named(&queue->flags[2], "queue->flags[2]");
    named(&queue->owned[1]->full, "queue->owned[1]->full");
    named(&queue->pair[1]->full, "queue->pair[1]->full");
    named(&queue->next->inside.ready, "queue->next->inside.ready");
    named(&rows[2]->full, "rows[2]->full");
    named(&shared->full, "shared->full");
    named(&list[0].size, "list[0].size");
    named(&around[3].full, "around[3].full");
    named(&apart->full, "apart->full");
    named(apart + 1, "");  // no block of malloc's begins at the pointer
    named(static_cast<char *>(queue->opaque) + 8, "");
}

__attribute__((noinline)) static Slot *middle() {
    auto *block = static_cast<Slot *>(std::calloc(8, sizeof(Slot)));
    return block + 2;
}

int main() {
    of_file();
    auto *queue = new Queue;
    queue->next = new Queue;
    for (int i = 0; i < 2; i++)
        queue->owned.push_back(std::make_unique<Slot>());
    auto **rows = new Slot *[3] { new Slot, new Slot, new Slot };
    of_frame(queue, rows, middle());
    return 0;
}
