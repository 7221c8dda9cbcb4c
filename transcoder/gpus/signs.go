package gpus

import (
	"fmt"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/core/health"
)

// How long a sign must hold before it is a condition, and how long it must be gone
// before it is none: cards breathe.
const (
	settle = 10 * time.Second
	calm   = 30 * time.Second
	// xidLasts is how long after a critical error the card is in doubt.
	xidLasts = 24 * time.Hour
)

// leastTaken is how little memory of others is not worth a word.
const leastTaken = gpu.Bytes(1 << 30)

// signs is what is remembered between reports. It belongs to one goroutine.
type signs struct {
	// xids are the last critical errors: a new process of the watcher does not know
	// what the one before heard.
	xids map[gpu.UUID]gpu.Sample
	// since is when a sign came, gone when it went.
	since, gone map[health.Key]time.Time
	// shown are the conditions that are set, with their details.
	shown map[health.Key]string
}

func newSigns() signs {
	return signs{
		xids: make(map[gpu.UUID]gpu.Sample), since: make(map[health.Key]time.Time), gone: make(map[health.Key]time.Time),
		shown: make(map[health.Key]string),
	}
}

// complete adds to a sample what its process could not know.
func (s *signs) complete(h host, d gpu.Device, sample gpu.Sample, now time.Time) gpu.Sample {
	sample.At = now
	if sample.XID != 0 {
		s.xids[d.UUID] = gpu.Sample{XID: sample.XID, XIDAt: sample.XIDAt}
	} else if old, ok := s.xids[d.UUID]; ok {
		sample.XID, sample.XIDAt = old.XID, old.XIDAt
	}
	var strangers []gpu.Process
	// The driver counts processes as the machine does; in a container these numbers
	// belong to others.
	if !h.container() {
		for _, p := range sample.Processes {
			if h.descends(p.PID, os.Getpid()) {
				continue
			}
			sample.Foreign += p.Used
			strangers = append(strangers, p)
		}
	}
	sample.Processes = strangers
	return sample
}

// steady reports whether a sign has held long enough, or has not been gone for long
// enough.
func (s *signs) steady(key health.Key, holds bool, now time.Time) bool {
	_, shown := s.shown[key]
	switch {
	case holds:
		delete(s.gone, key)
		if _, ok := s.since[key]; !ok {
			s.since[key] = now
		}
		return shown || now.Sub(s.since[key]) >= settle
	case !shown:
		delete(s.since, key)
		return false
	}
	if _, ok := s.gone[key]; !ok {
		s.gone[key] = now
	}
	if now.Sub(s.gone[key]) < calm {
		return true
	}
	delete(s.since, key)
	delete(s.gone, key)
	return false
}

// publish sets and clears the board's conditions.
func (w *Watcher) publish(v verdict, samples map[gpu.UUID]gpu.Sample, now time.Time) {
	if w.o.Board == nil {
		return
	}
	w.o.Board.Clear(health.Key{Code: fault.GPUWatchFailed})
	holds := make(map[health.Key]string)
	for _, t := range v.troubles {
		holds[health.Key{Code: t.fault.Code, About: t.about}] = t.fault.Detail
	}
	for _, d := range v.present {
		w.troubled(d, samples[d.UUID], now, holds)
	}
	for key := range w.signs.shown {
		if _, ok := holds[key]; !ok {
			w.o.Board.Clear(key)
			delete(w.signs.shown, key)
		}
	}
	for key, detail := range holds {
		w.signs.shown[key] = detail
		w.o.Board.Set(key, detail)
	}
}

// troubled adds what troubles a device. Details are of what stays the same while it
// lasts, so that a condition is told of once.
func (w *Watcher) troubled(d gpu.Device, s gpu.Sample, now time.Time, holds map[health.Key]string) {
	key := func(code fault.Code) health.Key { return health.Key{Code: code, About: d.ID()} }
	slow := s.Throttled != "" && s.Throttled != gpu.ByPower
	if k := key(fault.GPUThrottled); w.signs.steady(k, slow, now) {
		holds[k] = throttling(d, s)
	}
	if s.XID != 0 && now.Sub(s.XIDAt) < xidLasts {
		holds[key(fault.GPUFault)] = fmt.Sprintf("XID %d: %s", s.XID, xidMeaning(s.XID))
	}
	if s.Uncorrected > 0 {
		holds[key(fault.GPUMemoryErrors)] = fmt.Sprintf("%d errors were not corrected", s.Uncorrected)
	}
	taken := s.Foreign-w.o.Allowed(d.UUID) > max(leastTaken, d.Memory/10)
	if k := key(fault.GPUMemoryTaken); w.signs.steady(k, taken, now) {
		// The program that had the memory stays named while it is free for a moment.
		holds[k] = w.signs.shown[k]
		if taken {
			holds[k] = takers(s.Processes)
		}
	}
}

func throttling(d gpu.Device, s gpu.Sample) string {
	if s.SlowdownAt > 0 {
		return fmt.Sprintf("%s runs slower than it could; it is made to from %d °C on", d.Name, s.SlowdownAt)
	}
	return d.Name + " runs slower than it could"
}

// takers names the largest.
func takers(list []gpu.Process) string {
	if len(list) == 0 {
		return "by programs that the driver does not name"
	}
	name := list[0].Name
	if name == "" {
		name = "a program"
	}
	return fmt.Sprintf("by %s, process %d, before others", name, list[0].PID)
}
