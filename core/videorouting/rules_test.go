package videorouting_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
)

func TestDiscoveryWait(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	for name, row := range map[string]struct {
		p       videorouting.DiscoveryWait
		a       videorouting.Answers
		elapsed time.Duration
		done    bool
		next    time.Duration
	}{
		"all answered":     {elapsed: ms, done: true, next: 499 * ms},
		"nothing yet":      {a: videorouting.Answers{Open: 2}, elapsed: ms, next: 499 * ms},
		"one, window open": {a: videorouting.Answers{Usable: 1, Open: 1}, elapsed: 499 * ms, next: ms},
		"one, window over": {a: videorouting.Answers{Usable: 1, Open: 1}, elapsed: 500 * ms, done: true,
			next: 500 * ms},
		"first come": {p: videorouting.DiscoveryWait{FirstCome: true},
			a: videorouting.Answers{Usable: 1, Good: 1, Open: 1}, elapsed: ms, done: true, next: 499 * ms},
		"a suspended one can wait": {p: videorouting.DiscoveryWait{FirstCome: true},
			a: videorouting.Answers{Usable: 1, Open: 1}, elapsed: ms, next: 499 * ms},
		"but not for longer": {p: videorouting.DiscoveryWait{FirstCome: true},
			a: videorouting.Answers{Usable: 1, Open: 1}, elapsed: 500 * ms, done: true, next: 500 * ms},
		"nothing usable: windows double": {a: videorouting.Answers{Open: 1}, elapsed: 1100 * ms, next: 900 * ms},
		"doubling ends at the stop":      {a: videorouting.Answers{Open: 1}, elapsed: 4001 * ms, next: 1999 * ms},
		"hard stop":                      {a: videorouting.Answers{Open: 1}, elapsed: 6 * time.Second, done: true},
		"own times": {p: videorouting.DiscoveryWait{First: 10 * ms, Stop: 40 * ms},
			a: videorouting.Answers{Open: 1}, elapsed: 25 * ms, next: 15 * ms},
	} {
		if got := row.p.Done(row.a, row.elapsed); got != row.done {
			t.Errorf("%s: done %v, want %v", name, got, row.done)
		}
		if got := row.p.Next(row.elapsed); got != row.next {
			t.Errorf("%s: next in %v, want %v", name, got, row.next)
		}
	}
}

func TestTiming(t *testing.T) {
	t.Parallel()
	s := time.Second
	for _, row := range []struct {
		duration        time.Duration
		multiplier      int
		accept, attempt time.Duration
	}{
		{2 * s, 0, 2 * s, 8 * s},
		{2 * s, 1, 2 * s, 8 * s},
		{10 * s, 1, 5 * s, 40 * s},
		{2 * s, 3, 6 * s, 24 * s},
		{2 * s, 1000, 20 * s, 80 * s},
		{0, -5, 2 * s, 8 * s},
	} {
		got := videorouting.TimingOf(row.duration, row.multiplier)
		if got.Accept != row.accept || got.Attempt != row.attempt || got.Segment < 2*row.attempt {
			t.Errorf("%v × %d: %+v", row.duration, row.multiplier, got)
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		trip, duration time.Duration
		want           float64
	}{
		{2 * time.Second, 2 * time.Second, 1},
		{time.Second, 4 * time.Second, 0.25},
		{1500 * time.Millisecond, 100 * time.Millisecond, 1},
	} {
		if got := videorouting.Score(row.trip, row.duration); got != row.want {
			t.Errorf("%v of %v: %v, want %v", row.trip, row.duration, got, row.want)
		}
	}
}

func TestBadInputIsExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Invalid argument":          true,
		"decode: Invalid argument":  false,
		"Invalid argument ":         false,
		"TranscoderInvalidVideo":    true,
		"TranscoderInvalidDuration": true,
		"Encoded frames runaway":    true,
		"OrchestratorBusy":          false,
		"":                          false,
		"Invalid data found when processing input": false,
	} {
		if got := videorouting.BadInput(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestUsable(t *testing.T) {
	t.Parallel()
	caps := capability.Offer(capability.Default(), "0.9.1")
	bad := core.Address{1}
	good := videorouting.Offer{URI: "https://o:8935", Token: true, Capabilities: &caps}
	wants := videorouting.Wants{
		Capabilities: capability.ForJob(capability.Job{HTTPPush: true}),
		Blocked:      []core.Address{bad},
	}
	for name, row := range map[string]struct {
		change func(*videorouting.Offer)
		code   fault.Code
	}{
		"good":            {func(*videorouting.Offer) {}, ""},
		"plain http":      {func(o *videorouting.Offer) { o.URI = "http://o:1" }, ""},
		"no address":      {func(o *videorouting.Offer) { o.URI = "" }, fault.OrchestratorUnusable},
		"other scheme":    {func(o *videorouting.Offer) { o.URI = "file:///etc" }, fault.OrchestratorUnusable},
		"with a query":    {func(o *videorouting.Offer) { o.URI = "http://127.0.0.1:7935/x?a=" }, fault.OrchestratorUnusable},
		"empty query":     {func(o *videorouting.Offer) { o.URI = "http://127.0.0.1:7935/x?" }, fault.OrchestratorUnusable},
		"with a fragment": {func(o *videorouting.Offer) { o.URI = "http://127.0.0.1:7935/x#" }, fault.OrchestratorUnusable},
		"with a user":     {func(o *videorouting.Offer) { o.URI = "https://u:p@o:8935" }, fault.OrchestratorUnusable},
		"no host":         {func(o *videorouting.Offer) { o.URI = "https:///x" }, fault.OrchestratorUnusable},
		"no token":        {func(o *videorouting.Offer) { o.Token = false }, fault.OrchestratorUnusable},
		"no capabilities": {func(o *videorouting.Offer) { o.Capabilities = nil }, fault.OrchestratorUnusable},
		"blocked":         {func(o *videorouting.Offer) { o.Address = bad }, fault.OrchestratorBlocked},
		"incompatible": {func(o *videorouting.Offer) {
			legacy := capability.Offer(capability.Legacy(), "0.9.1")
			o.Capabilities = &legacy
		}, fault.OrchestratorUnusable},
	} {
		o := good
		row.change(&o)
		err := wants.Usable(&o)
		if row.code == "" && err != nil || row.code != "" && !errors.Is(err, row.code) {
			t.Errorf("%s: %v, want %q", name, err, row.code)
		}
	}
}

func TestTokenTimes(t *testing.T) {
	t.Parallel()
	o := offer("a")
	for _, row := range []struct {
		after            time.Duration
		refresh, expired bool
	}{
		{0, false, false},
		{27 * time.Minute, false, false},
		{27*time.Minute + 1, true, false},
		{30*time.Minute + 1, true, true},
	} {
		now := t0.Add(row.after)
		if o.NeedsRefresh(now) != row.refresh || o.Expired(now) != row.expired {
			t.Errorf("after %v: refresh %v expired %v", row.after, o.NeedsRefresh(now), o.Expired(now))
		}
	}
}
