package worker

import (
	"os"
	"sync"

	"github.com/tuttinode/tutti/core"
)

// The arena is memory that both processes share: slots that are lent to requests
// and hold first the input, then the result. A payload that goes through it is
// copied once per direction and wakes the other side once; through the socket
// the same 1.5 MB cost five times the CPU time, in wake-ups. Payloads that
// find no slot, or none large enough, go through the socket.
//
// The control process never maps the arena, it reads and writes it like a file:
// what the worker does to a mapping cannot hurt it.
const (
	arenaSlots = 64
	slotSize   = 8 << 20
)

// Arena is the control process's side.
type Arena struct {
	file *os.File

	mu   sync.Mutex // covers free
	free []int
}

// NewArena makes an arena for one worker. Its memory is used as it is touched. On
// systems whose processes share none this way it has no slots.
func NewArena() (*Arena, error) {
	file, err := sharedMemory(arenaSlots * slotSize)
	if err != nil || file == nil {
		return &Arena{}, err
	}
	a := &Arena{file: file}
	for slot := arenaSlots; slot > 0; slot-- {
		a.free = append(a.free, slot)
	}
	return a, nil
}

// File returns what the worker inherits, nil for nothing.
func (a *Arena) File() *os.File { return a.file }

// Close gives the memory back, as far as the worker has it no more.
func (a *Arena) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// Put lends a slot and writes the input into it. It returns 0 when there is no
// slot for it; then the input has to go through the socket.
func (a *Arena) Put(input []byte) (slot int, err error) {
	if len(input) > slotSize {
		return 0, nil
	}
	a.mu.Lock()
	n := len(a.free)
	if n > 0 {
		// The last one given back: its memory is warm.
		slot, a.free = a.free[n-1], a.free[:n-1]
	}
	a.mu.Unlock()
	if slot == 0 {
		return 0, nil
	}
	if _, err := a.file.WriteAt(input, int64(slot-1)*slotSize); err != nil {
		a.Release(slot)
		return 0, err
	}
	return slot, nil
}

// Release takes a slot back. The worker has answered and does not use it.
func (a *Arena) Release(slot int) {
	if slot == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.free = append(a.free, slot)
}

// Fill reads what the worker left in a slot into the buffers of the result.
func (a *Arena) Fill(slot int, p *Payload) error {
	if slot == 0 || p.Size() > slotSize {
		return protocolErrorf("a result in no slot")
	}
	at := int64(slot-1) * slotSize
	for _, buf := range p.bufs {
		if _, err := a.file.ReadAt(buf, at); err != nil {
			return err
		}
		at += int64(len(buf))
	}
	p.bufs = nil
	return nil
}

// ArenaView is the worker's side: the arena as memory.
type ArenaView struct{ mapped []byte }

// Input returns the first n bytes of a slot, not a copy of them.
func (v *ArenaView) Input(slot, n int) ([]byte, error) {
	if v == nil || v.mapped == nil || slot < 1 || slot > arenaSlots || n > slotSize {
		return nil, protocolErrorf("%d bytes in slot %d", n, slot)
	}
	at := (slot - 1) * slotSize
	return v.mapped[at : at+n : at+n], nil
}

// Leave puts the payloads of a result into a slot, one after another, and
// reports whether they fit.
func (v *ArenaView) Leave(slot int, payloads [][]byte) bool {
	total := 0
	for _, p := range payloads {
		total += len(p)
	}
	if slot == 0 || total > slotSize {
		return false
	}
	at := (slot - 1) * slotSize
	for _, p := range payloads {
		at += copy(v.mapped[at:], p)
	}
	return true
}

// InputPlace says where a payload is: its length, and its slot or 0 for the socket.
type InputPlace struct{ Len, Slot int }

func (e *encoder) place(p InputPlace) {
	e.num(int64(p.Len))
	e.num(int64(p.Slot))
}

func (d *decoder) place() InputPlace {
	p := InputPlace{Len: int(d.within("a payload's length", 0, core.MaxSegmentBytes)),
		Slot: int(d.within("a slot", 0, arenaSlots))}
	if p.Slot > 0 && p.Len > slotSize {
		d.fail("%d bytes in a slot", p.Len)
	}
	return p
}
