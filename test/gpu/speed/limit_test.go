package speed_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// limit walks to the largest number of paced streams that is sustainable.
func (r *rig) limit(t *testing.T, s source) {
	what := s.name + ", streams at once in real time (-findLimit)"
	factor := r.realTime[s.name]
	if factor == 0 {
		card.SkipCheck(t, what, "no number of streams was measured before")
		return
	}
	const step = 4 * time.Second
	if !r.has(t, what, 10*step) {
		return
	}
	// The walk doubles from where it begins, then halves the gap.
	begin := max(1, int(0.6*factor))
	d, err := r.bench(t, s, time.Until(r.end), nil, "-findLimit", "-concurrentSessions", strconv.Itoa(begin),
		"-concurrentSessionDelay", "20ms", "-until", step.String())
	switch {
	case err != nil && time.Now().Add(time.Second).After(r.end):
		card.SkipCheck(t, what, "no time left: "+err.Error())
	case err != nil && !r.card.Real():
		card.SkipCheck(t, what, "the simulated driver is too slow: "+err.Error())
	case err != nil || d.Limit == nil:
		card.CheckThat(t, false, what, "a limit", fmt.Sprint(err), "")
	default:
		figure := r.figure("%d streams after %d steps; %.1f × real time unpaced", *d.Limit, len(d.Runs), factor)
		if r.card.Real() {
			card.CheckThat(t, *d.Limit >= 1, what, "at least 1", fmt.Sprint(*d.Limit), figure)
		} else {
			card.RecordCheck(t, what, fmt.Sprint(*d.Limit), figure)
		}
	}
}

// limitOfSlowCard tries the search for the limit where that is soon found: on a simulated
// driver that decodes more slowly than a single stream plays.
func (r *rig) limitOfSlowCard(t *testing.T, s source) {
	const what = "streams at once in real time on a GPU that is too slow for one"
	if r.card.Real() {
		card.SkipCheck(t, what, "a GPU's speed is what it is")
		return
	}
	const slow = "device.slow.decode"
	r.card.Fake.Set(slow, "35000") // microseconds per frame
	defer r.card.Fake.Unset(slow)
	d, err := r.bench(t, s, 30*time.Second, nil, "-findLimit", "-until", "1ms")
	if err == nil && d.Limit == nil {
		err = errors.New("no limit was printed")
	}
	if card.NoError(t, err, what+": tutti_bench finds a limit", "") {
		card.CheckThat(t, *d.Limit == 0, what, "0", fmt.Sprint(*d.Limit), "")
	}
}
