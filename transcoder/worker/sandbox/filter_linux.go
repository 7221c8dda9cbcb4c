package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A call is a system call that a list admits: always, or when one of the
// alternatives holds. An alternative holds when all of its conditions do.
type call struct {
	number       uint32
	alternatives [][]condition
	// absent returns ENOSYS, as a kernel without the call would, so that the caller falls
	// back to an older one.
	absent bool
}

// A condition on an argument: what is left of it under the mask is one of the values.
// The kernel looks at 32 bits of an int, so the mask of one has no more.
type condition struct {
	argument int
	mask     uint64
	values   []uint32
}

const (
	// wholeInt is the mask of an argument that is an int, wholeLong of one that is a
	// long: values have no bits beyond the lower 32.
	wholeInt  = 1<<32 - 1
	wholeLong = 1<<64 - 1
)

// always admits calls whatever their arguments.
func always(numbers ...uint32) []call {
	var out []call
	for _, n := range numbers {
		out = append(out, call{number: n})
	}
	return out
}

// absent answers calls as a kernel does that does not have them.
func absent(numbers ...uint32) []call {
	var out []call
	for _, n := range numbers {
		out = append(out, call{number: n, absent: true})
	}
	return out
}

// where admits a call under conditions, all of which must hold. A call may be in a
// list several times, each time with an alternative.
func where(number uint32, conditions ...condition) call {
	return call{number: number, alternatives: [][]condition{conditions}}
}

// merged returns a list in order of its numbers, each once. What one entry admits always is
// admitted always.
func merged(list []call) []call {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b call) int { return int(a.number) - int(b.number) })
	var out []call
	for _, c := range sorted {
		last := len(out) - 1
		switch {
		case last < 0 || out[last].number != c.number:
			out = append(out, c)
		case len(out[last].alternatives) == 0 || len(c.alternatives) == 0:
			out[last].alternatives = nil
		default:
			out[last].alternatives = slices.Concat(out[last].alternatives, c.alternatives)
		}
	}
	return out
}

// Where struct seccomp_data has its fields.
const (
	atNumber    = 0
	atABI       = 4
	atArguments = 16
)

func admit() unix.SockFilter { return statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW) }

func refuse() unix.SockFilter {
	return statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM))
}

func unheld() unix.SockFilter {
	return statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS))
}

// errFilter: the kernel would not take the program of the filter.
var errFilter = errors.New("the filter of system calls is too large")

// newCalls is the first number of those that every architecture shares, which Linux
// has given out since 5.1. Programs that know one also run on kernels without it.
const newCalls = 424

// filter returns the program that admits what is on a list, of this ABI alone. What Linux
// has had since before 5.1 and is not on the list is refused, and what came since then
// is absent. abi is the one of the list's numbers.
//
// The kernel remembers which calls it admits whatever the arguments, and does not run
// the program for those again; the others are found by halving.
func filter(abi uint32, list []call) ([]unix.SockFilter, error) {
	calls := merged(list)
	split, _ := slices.BinarySearchFunc(calls, newCalls, func(c call, n uint32) int { return int(c.number) - int(n) })
	before, err := tree(calls[:split], refuse())
	if err != nil {
		return nil, err
	}
	since, err := tree(calls[split:], unheld())
	if err != nil {
		return nil, err
	}
	program := []unix.SockFilter{
		load(atABI), jump(unix.BPF_JEQ, abi, 1, 0), refuse(),
		load(atNumber), jump(unix.BPF_JGE, newCalls, 0, 1), far(len(before)),
	}
	program = slices.Concat(program, before, since)
	const most = 4096
	if len(program) > most {
		return nil, fmt.Errorf("%w: %d instructions, of which the kernel takes %d", errFilter, len(program), most)
	}
	return program, nil
}

// leaf is how many calls are compared one by one.
const leaf = 3

// tree finds the call whose number is loaded, and ends with otherwise when there is
// none.
func tree(calls []call, otherwise unix.SockFilter) ([]unix.SockFilter, error) {
	if len(calls) > leaf {
		half := len(calls) / 2
		below, err := tree(calls[:half], otherwise)
		if err != nil {
			return nil, err
		}
		above, err := tree(calls[half:], otherwise)
		if err != nil {
			return nil, err
		}
		choice := []unix.SockFilter{jump(unix.BPF_JGE, calls[half].number, 0, 1), far(len(below))}
		return slices.Concat(choice, below, above), nil
	}
	var out []unix.SockFilter
	for _, c := range calls {
		verdict, err := c.verdict()
		if err != nil {
			return nil, err
		}
		out = append(out, jump(unix.BPF_JEQ, c.number, 1, 0), far(len(verdict)))
		out = append(out, verdict...)
	}
	return append(out, otherwise), nil
}

// verdict looks at a call's arguments.
func (c call) verdict() ([]unix.SockFilter, error) {
	switch {
	case c.absent:
		return []unix.SockFilter{unheld()}, nil
	case len(c.alternatives) == 0:
		return []unix.SockFilter{admit()}, nil
	}
	var out []unix.SockFilter
	for _, conditions := range c.alternatives {
		checks, err := all(conditions)
		if err != nil {
			return nil, fmt.Errorf("system call %d: %w", c.number, err)
		}
		out = append(out, checks...)
	}
	return append(out, refuse()), nil
}

// all admits the call when the conditions hold, and otherwise goes on after itself.
func all(conditions []condition) ([]unix.SockFilter, error) {
	var out []unix.SockFilter
	// fails are the instructions that go on after the end when they do not hold.
	var fails []int
	for _, c := range conditions {
		low, high := uint32(c.mask), uint32(c.mask>>32)
		if high != 0 {
			out = append(out, load(atArguments+8*c.argument+4), and(high))
			fails = append(fails, len(out))
			out = append(out, jump(unix.BPF_JEQ, 0, 0, 0))
		}
		out = append(out, load(atArguments+8*c.argument), and(low))
		for i, v := range c.values {
			rest := len(c.values) - 1 - i
			if rest == 0 {
				fails = append(fails, len(out))
			}
			out = append(out, jump(unix.BPF_JEQ, v, uint8(rest), 0))
		}
	}
	out = append(out, admit())
	for _, at := range fails {
		distance := len(out) - at - 1
		if distance > 255 {
			return nil, fmt.Errorf("%w: %d conditions on one call", errFilter, len(conditions))
		}
		out[at].Jf = uint8(distance)
	}
	return out, nil
}

func statement(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func load(at int) unix.SockFilter {
	return statement(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, uint32(at))
}

func and(mask uint32) unix.SockFilter {
	return statement(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, mask)
}

func jump(test uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

// far goes on after that many instructions.
func far(instructions int) unix.SockFilter {
	return statement(unix.BPF_JMP|unix.BPF_JA, uint32(instructions))
}

// install makes a program hold for all threads, those of libraries included.
func install(program []unix.SockFilter) error {
	p := &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(p)))
	switch {
	case errno == unix.ENOSYS:
		return fmt.Errorf("the kernel has none: %w", errno)
	case errno != 0:
		return fmt.Errorf("load the filter: %w", errno)
	case thread != 0:
		return fmt.Errorf("load the filter: thread %d has another one", thread)
	}
	return nil
}
