package gpus

import (
	"fmt"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// How long a symptom must hold before its condition is set, and how long it must be gone
// before it is cleared: temperatures and loads fluctuate.
const (
	setAfter   = 10 * time.Second
	clearAfter = 30 * time.Second
	// xidLasts is how long a critical error of a GPU is shown.
	xidLasts = 24 * time.Hour
)

// minTaken is the memory of other programs below which there is no condition.
const minTaken = device.Bytes(1 << 30)

// sampleHistory is kept from one report to the next. It belongs to one goroutine.
type sampleHistory struct {
	// xids are the last critical errors: a new watch process does not know those of the
	// previous one.
	xids map[device.UUID]device.Sample
	// since is when a symptom appeared, goneSince when it disappeared.
	since, goneSince map[health.Key]time.Time
	// conditions are those that are set, with their details.
	conditions map[health.Key]string
}

func newSampleHistory() sampleHistory {
	return sampleHistory{
		xids: make(map[device.UUID]device.Sample), since: make(map[health.Key]time.Time),
		goneSince:  make(map[health.Key]time.Time),
		conditions: make(map[health.Key]string),
	}
}

// complete adds to a sample what the watch process cannot know.
func (s *sampleHistory) complete(h host, d device.GPU, sample device.Sample, now time.Time) device.Sample {
	sample.At = now
	if sample.XID != 0 {
		s.xids[d.UUID] = device.Sample{XID: sample.XID, XIDAt: sample.XIDAt}
	} else if old, ok := s.xids[d.UUID]; ok {
		sample.XID, sample.XIDAt = old.XID, old.XIDAt
	}
	var foreign []device.Process
	// The driver counts processes as the machine does; in a container these numbers
	// belong to others.
	if !h.container() {
		for _, p := range sample.Processes {
			if h.descends(p.PID, os.Getpid()) {
				continue
			}
			sample.Foreign += p.Used
			foreign = append(foreign, p)
		}
	}
	sample.Processes = foreign
	return sample
}

// steady reports whether a symptom has held long enough, or has not been gone long enough.
func (s *sampleHistory) steady(key health.Key, holds bool, now time.Time) bool {
	_, shown := s.conditions[key]
	switch {
	case holds:
		delete(s.goneSince, key)
		if _, ok := s.since[key]; !ok {
			s.since[key] = now
		}
		return shown || now.Sub(s.since[key]) >= setAfter
	case !shown:
		delete(s.since, key)
		return false
	}
	if _, ok := s.goneSince[key]; !ok {
		s.goneSince[key] = now
	}
	if now.Sub(s.goneSince[key]) < clearAfter {
		return true
	}
	delete(s.since, key)
	delete(s.goneSince, key)
	return false
}

// publish sets and clears the board's conditions.
func (w *Watcher) publish(v verdict, samples map[device.UUID]device.Sample, now time.Time) {
	if w.o.Board == nil {
		return
	}
	w.o.Board.Clear(health.Key{Code: fault.GPUWatchFailed})
	holds := make(map[health.Key]string)
	for _, t := range v.problems {
		holds[health.Key{Code: t.fault.Code, About: t.about}] = t.fault.Detail
	}
	for _, d := range v.present {
		w.addProblems(d, samples[d.UUID], now, holds)
	}
	for key := range w.history.conditions {
		if _, ok := holds[key]; !ok {
			w.o.Board.Clear(key)
			delete(w.history.conditions, key)
		}
	}
	for key, detail := range holds {
		w.history.conditions[key] = detail
		w.o.Board.Set(key, detail)
	}
}

// addProblems adds a device's conditions. Their details do not change while a condition
// lasts, so that it is reported once.
func (w *Watcher) addProblems(d device.GPU, s device.Sample, now time.Time, holds map[health.Key]string) {
	key := func(code fault.Code) health.Key { return health.Key{Code: code, About: d.ID()} }
	slow := s.Throttled != "" && s.Throttled != device.ByPower
	if k := key(fault.GPUThrottled); w.history.steady(k, slow, now) {
		holds[k] = throttling(d, s)
	}
	if s.XID != 0 && now.Sub(s.XIDAt) < xidLasts {
		holds[key(fault.GPUFault)] = fmt.Sprintf("XID %d: %s", s.XID, xidMeaning(s.XID))
	}
	if s.Uncorrected > 0 {
		holds[key(fault.GPUMemoryErrors)] = fmt.Sprintf("%d errors were not corrected", s.Uncorrected)
	}
	taken := s.Foreign-w.o.Allowed(d.UUID) > max(minTaken, d.Memory/10)
	if k := key(fault.GPUMemoryTaken); w.history.steady(k, taken, now) {
		// The program that had the memory stays named while it is free for a moment.
		holds[k] = w.history.conditions[k]
		if taken {
			holds[k] = takers(s.Processes)
		}
	}
}

func throttling(d device.GPU, s device.Sample) string {
	if s.SlowdownAt > 0 {
		return fmt.Sprintf("%s runs slower than it could; it is made to from %d °C on", d.Name, s.SlowdownAt)
	}
	return d.Name + " runs slower than it could"
}

// takers names the largest.
func takers(list []device.Process) string {
	if len(list) == 0 {
		return "by programs that the driver does not name"
	}
	name := list[0].Name
	if name == "" {
		name = "a program"
	}
	return fmt.Sprintf("by %s, process %d, before others", name, list[0].PID)
}
