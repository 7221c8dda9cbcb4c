// What the fake driver's libraries share: one machine's state in a mapped file,
// the script that says how the machine behaves, devices, contexts and memory.
#ifndef FAKEGPU_CORE_H
#define FAKEGPU_CORE_H

#include <stddef.h>
#include <stdint.h>

// The names as they are in the libraries: a program may well have its own push.
#define enter fakegpu_enter
#define leave fakegpu_leave
#define count fakegpu_count
#define counted fakegpu_counted
#define hold fakegpu_hold
#define held_by_all fakegpu_held_by_all
#define each_process fakegpu_each_process
#define script_text fakegpu_script_text
#define script_sequence fakegpu_script_sequence
#define library_directory fakegpu_library_directory
#define text_of fakegpu_text_of
#define number_of fakegpu_number_of
#define device_number fakegpu_device_number
#define device_text fakegpu_device_text
#define listed fakegpu_listed
#define all_devices fakegpu_all_devices
#define visible_devices fakegpu_visible_devices
#define driver_major fakegpu_driver_major
#define driver_version fakegpu_driver_version
#define cuda_version fakegpu_cuda_version
#define act fakegpu_act
#define broken fakegpu_broken
#define current fakegpu_current
#define open_context fakegpu_open_context
#define close_context fakegpu_close_context
#define push fakegpu_push
#define pop fakegpu_pop
#define usable fakegpu_usable
#define usable_context fakegpu_usable_context
#define reserve fakegpu_reserve
#define give_back fakegpu_give_back
#define device_alloc fakegpu_device_alloc
#define device_free fakegpu_device_free


#define MAX_DEVICES 8
#define MAX_PROCESSES 64
#define SCRIPT_BYTES 16384

// Counters of a device. The order is the one that the Go side reads.
enum counter {
	DECODERS_CREATED, DECODERS_DESTROYED, DECODERS_REFUSED, PICTURES_DECODED,
	ENCODERS_OPENED, ENCODERS_CLOSED, ENCODERS_REFUSED, ENCODERS_RECONFIGURED, PICTURES_ENCODED,
	CONTEXTS_CREATED, CONTEXTS_DESTROYED, KERNELS, UPLOADED_BYTES, DOWNLOADED_BYTES,
	ALLOCATIONS_REFUSED, PICTURES_MADE_UP, HANGS, PICTURES_REFUSED, MODULES, COUNTERS
};

// Kinds of what a process holds on a device.
enum held { MEMORY, ENCODERS, DECODERS, CONTEXTS, HELD };

// The state file. Everything is 64 bits wide, so that Go reads it by offset.
struct process {
	uint64_t pid;
	uint64_t held[MAX_DEVICES][HELD];
};

struct state {
	uint64_t magic, sequence, reserved[6];
	uint64_t counters[MAX_DEVICES][32];
	struct process processes[MAX_PROCESSES];
	char script[2][SCRIPT_BYTES];
};

// A device as the script describes it. index is its position in order of PCI bus ids.
struct device {
	int index, slot, compute, mig, lost, encodes;
	char name[96], uuid[80], pci[32];
	uint64_t memory;
};

// state.c
void enter(void);
void leave(void);
void count(int device, enum counter which, uint64_t by);
uint64_t counted(int device, enum counter which);
void hold(int device, enum held what, int64_t by);
uint64_t held_by_all(int device, enum held what);
int each_process(int device, void (*visit)(void *into, const struct process *p), void *into);
const char *script_text(uint64_t *sequence);
uint64_t script_sequence(void);
const char *library_directory(void);

// script.c
int text_of(const char *key, char *into, size_t size);
int64_t number_of(const char *key, int64_t otherwise);
int64_t device_number(int slot, const char *key, int64_t otherwise);
int device_text(int slot, const char *key, char *into, size_t size);
int listed(const char *list, const char *word);

// device.c
int all_devices(struct device out[MAX_DEVICES]);
int visible_devices(struct device out[MAX_DEVICES]);
int driver_major(void);
void driver_version(char *into, size_t size);
int cuda_version(void);

// fault.c: act plays what the script wants to happen to a device at a point:
// "open", "copy", "decode", "encode". It returns a CUDA error, or 0, or never.
int act(int slot, const char *point);
int broken(int slot, int lasting_only);

// context.c
struct context { int slot, ordinal, sticky, primary; uint64_t weight; };
struct context *current(void);
struct context *open_context(int ordinal, int primary, int *error);
void close_context(struct context *c);
int push(struct context *c);
struct context *pop(void);
int usable(const char *point);
int usable_context(struct context *c, const char *point);

// memory.c
int reserve(int slot, uint64_t bytes);
void give_back(int slot, uint64_t bytes);
int device_alloc(uint64_t *pointer, size_t bytes);
int device_free(uint64_t pointer);

#endif
