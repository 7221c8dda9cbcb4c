package selectionweights_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/selectionweights"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestMeasures(t *testing.T) {
	t.Parallel()
	var m selectionweights.Measures
	if _, ok := m.Of("a", t0).Score(); ok || m.Of("a", t0).Speed() != 1 {
		t.Error("nothing is known, and yet judged")
	}
	m.Done("a", 0.4, t0)
	m.Done("a", 0.6, t0)
	if s, ok := m.Of("a", t0).Score(); !ok || s != 1 || m.Of("a", t0).Speed() != 1 {
		t.Errorf("keeps pace: score %v, speed %v", s, m.Of("a", t0).Speed())
	}
	m.Done("slow", 2, t0)
	if s, _ := m.Of("slow", t0).Score(); s != 0.5 || m.Of("slow", t0).Speed() != 0.25 {
		t.Errorf("twice as long: score %v, speed %v", s, m.Of("slow", t0).Speed())
	}
	m.Failed("bad", t0)
	m.Failed("bad", t0)
	if s, ok := m.Of("bad", t0).Score(); !ok || s != 0 || math.Abs(m.Of("bad", t0).Speed()-1.0/3) > 1e-9 {
		t.Errorf("fails: score %v, speed %v", s, m.Of("bad", t0).Speed())
	}
	later := t0.Add(time.Hour)
	if _, ok := m.Of("bad", later).Score(); ok || m.Of("bad", later).Speed() < 0.99 {
		t.Error("what was bad an hour ago is still held against it")
	}
}

func TestMeasuresAreBounded(t *testing.T) {
	t.Parallel()
	var m selectionweights.Measures
	for i := range 6000 {
		m.Failed(strconv.Itoa(i), t0.Add(time.Duration(i)*time.Millisecond))
	}
	if _, ok := m.Of("0", t0.Add(6*time.Second)).Score(); ok {
		t.Error("nothing was forgotten")
	}
	if _, ok := m.Of("5999", t0.Add(6*time.Second)).Score(); !ok {
		t.Error("the newest was forgotten")
	}
}

// What one or two clients measured counts for them; the third worst of several counts for all.
func TestMeasuresOfClients(t *testing.T) {
	t.Parallel()
	var m selectionweights.ClientMeasures
	for n := range 2 {
		for range 100 {
			m.Failed("a", strconv.Itoa(n), t0)
		}
	}
	m.Done("a", "good", 0.5, t0)
	if own, many := m.Of("a", "good", t0); own.Speed() != 1 || many.Speed() != 1 {
		t.Errorf("two of three clients fail: %+v, %+v", own, many)
	}
	if own, _ := m.Of("a", "0", t0); own.Speed() > 0.01 {
		t.Errorf("a client that fails: %+v", own)
	}
	m.Done("a", "slow", 2, t0)
	if own, many := m.Of("a", "good", t0); own.Speed() != 1 || many.Speed() != 0.25 {
		t.Errorf("a third client is slow: %+v, %+v", own, many)
	}
	if own, many := m.Of("b", "0", t0); own != (selectionweights.Measure{}) && own.Jobs != 0 || many.Jobs != 0 {
		t.Errorf("another orchestrator: %+v, %+v", own, many)
	}
	if _, many := m.Of("a", "good", t0.Add(time.Hour)); many.Jobs != 0 {
		t.Errorf("an hour later: %+v", many)
	}
}

func TestMeasuresOfClientsAreBounded(t *testing.T) {
	t.Parallel()
	var m selectionweights.ClientMeasures
	for i := range 6000 {
		at := t0.Add(time.Duration(i) * time.Millisecond)
		m.Failed("a", strconv.Itoa(i), at)
		m.Failed(strconv.Itoa(i), "client", at)
	}
	later := t0.Add(6 * time.Second)
	for name, client := range map[string]string{"a": "0", "0": "client"} {
		if own, _ := m.Of(name, client, later); own.Jobs != 0 {
			t.Errorf("nothing was forgotten of %s", name)
		}
	}
	for name, client := range map[string]string{"a": "5999", "5999": "client"} {
		if own, _ := m.Of(name, client, later); own.Jobs == 0 {
			t.Errorf("the newest of %s was forgotten", name)
		}
	}
}
