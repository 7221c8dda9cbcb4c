package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/test/coretest"
)

// fakePayment records how it was settled.
type fakePayment struct {
	settled, received, left int64
	came                    int64
}

func (p *fakePayment) Header() string                       { return "x" }
func (p *fakePayment) Value() pm.Value                      { return pm.Value{} }
func (p *fakePayment) Credited()                            {}
func (p *fakePayment) Settle(_ sender.Outcome, units int64) { p.settled += units }
func (p *fakePayment) Received(units int64)                 { p.received += units }
func (p *fakePayment) Left(units int64)                     { p.left += units }
func (p *fakePayment) LeftAfter(came, units int64)          { p.came += came; p.left += units - came }
func (p *fakePayment) Forgo()                               {}
func (p *fakePayment) Blame()                               {}
func (p *fakePayment) total() (received, open int64) {
	return p.received + p.came, p.settled - p.received - p.came
}
func newPayments(clock *coretest.Clock) *payments {
	return &payments{Prepaid: Prepaid{Rate: orchestrate.PixelsPerSecond, Now: clock.Now, Begun: clock.Now()},
		log: slog.New(slog.DiscardHandler)}
}

// What an orchestrator had time to work for counts as received, to the unit, and the rest as open: excused where the
// stream was ended here, against the orchestrator where it was not.
func TestWhatIsOpenAtTheEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		clock := coretest.NewClock(time.Unix(1_800_000_000, 0))
		p := newPayments(clock)
		begun := clock.Now()
		var all []*fakePayment
		for range rapid.IntRange(1, 20).Draw(t, "payments") {
			one := new(fakePayment)
			all = append(all, one)
			p.Add(one, rapid.Int64Range(1, 200_000_000).Draw(t, "units"))
			clock.Forward(time.Duration(rapid.Int64Range(0, 9_000).Draw(t, "ms")) * time.Millisecond)
			p.Settle()
		}
		blame := rapid.Bool().Draw(t, "blame")
		p.End(blame)
		used := p.Units(clock.Now().Sub(begun))
		var settled, received, open, excused int64
		for _, one := range all {
			r, o := one.total()
			settled, received, open, excused = settled+one.settled, received+r, open+o, excused+one.left
		}
		if settled != p.paid || received != min(used, p.paid) || open != p.paid-received {
			t.Fatalf("settled %d received %d open %d of %d, used %d", settled, received, open, p.paid, used)
		}
		if want := map[bool]int64{true: 0, false: open}[blame]; excused != want {
			t.Fatalf("excused %d of %d, blame %v", excused, open, blame)
		}
	})
}

// fakePayer counts its calls.
type fakePayer struct {
	clock     *coretest.Clock
	refreshed []time.Time
	stop      func()
	failing   int
}

func (p *fakePayer) Pay(context.Context, int64) (upstream.Payment, error) {
	p.clock.Forward(10 * time.Second)
	if len(p.refreshed) == 4 {
		p.stop()
	}
	return new(fakePayment), nil
}

func (p *fakePayer) Refresh(context.Context) error {
	p.refreshed = append(p.refreshed, p.clock.Now())
	if p.failing--; p.failing == 0 {
		return errors.New("no answer")
	}
	return nil
}

// A stream gets new terms every six minutes, and soon again after a failure: its token lasts for half an hour.
func TestTermsAreRefreshed(t *testing.T) {
	t.Parallel()
	clock := coretest.NewClock(time.Unix(1_800_000_000, 0))
	p := newPayments(clock)
	p.interval, p.ahead = time.Microsecond, time.Hour
	ctx, stop := context.WithCancel(t.Context())
	f := &fakePayer{clock: clock, stop: stop, failing: 2}
	begun := clock.Now()
	if err := p.run(ctx, f); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var at []string
	for _, r := range f.refreshed {
		at = append(at, r.Sub(begun).String())
	}
	if got := fmt.Sprint(at); got != "[6m0s 12m0s 12m30s 18m30s]" {
		t.Error(got)
	}
}

// stalledPayer has the gateway stand still for an hour after the first payment.
type stalledPayer struct {
	clock *coretest.Clock
	units []int64
	stop  func()
}

func (p *stalledPayer) Pay(_ context.Context, units int64) (upstream.Payment, error) {
	switch p.units = append(p.units, units/orchestrate.PixelsPerSecond); len(p.units) {
	case 1:
		p.clock.Forward(time.Hour)
	case 3:
		p.stop()
	default:
		p.clock.Forward(10 * time.Second)
	}
	return new(fakePayment), nil
}

func (p *stalledPayer) Refresh(context.Context) error { return nil }

// A gateway that stood still pays nothing for that time: its orchestrator has long ended what was not paid.
func TestAStalledGatewayPaysNoHours(t *testing.T) {
	t.Parallel()
	clock := coretest.NewClock(time.Unix(1_800_000_000, 0))
	p := newPayments(clock)
	p.interval, p.ahead = time.Microsecond, 10*time.Second
	ctx, stop := context.WithCancel(t.Context())
	f := &stalledPayer{clock: clock, stop: stop}
	if err := p.run(ctx, f); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.units); got != "[10 20 10]" {
		t.Errorf("seconds paid: %s", got)
	}
}

// A second costs what a second of 720p at 30 pictures has.
func TestUnitsOfTime(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]int64{
		0: 0, time.Second: 27_648_000, 60 * time.Second: 1_658_880_000, time.Second / 2: 13_824_000,
		1000 * time.Hour: 27_648_000 * 3_600_000,
	} {
		if got := (&Prepaid{Rate: orchestrate.PixelsPerSecond}).Units(d); got != want {
			t.Errorf("%s: %d, want %d", d, got, want)
		}
	}
}
