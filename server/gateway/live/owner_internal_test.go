package live

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// bench is a server whose streams do nothing.
type bench struct {
	*Server
	t   *testing.T
	now time.Time
}

func newBench(t *testing.T, streams int) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Unix(1_700_000_000, 0)}
	s, err := New(Options{Limits: Limits{Streams: streams}, Now: func() time.Time { return b.now }, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	b.Server = s
	t.Cleanup(s.Close)
	return b
}

// publish begins a stream.
func (b *bench) publish(by identity, name, id string) (*stream, error) {
	b.t.Helper()
	st, err := b.newStream(by, name, "gw", requestNumber, url.Values{"streamId": {id}})
	if err != nil {
		b.t.Fatal(err)
	}
	st.stop = func(error) {}
	return st, b.add(st)
}

func (b *bench) mustPublish(by identity, name, id string) *stream {
	b.t.Helper()
	st, err := b.publish(by, name, id)
	if err != nil {
		b.t.Fatal(by.name, name, err)
	}
	return st
}

// end ends a stream, and all of it is over.
func (b *bench) end(st *stream) {
	b.now = b.now.Add(time.Millisecond)
	st.mu.Lock()
	st.endedAt = b.now
	st.mu.Unlock()
	close(st.done)
	b.release(st)
}

func keyHolder(name string) identity {
	return identity{name: "key " + name, known: true, claims: true}
}

func address(n int) identity {
	from := netip.MustParsePrefix(fmt.Sprintf("192.0.2.%d/32", n))
	return identity{name: "address " + from.String(), from: from}
}

// A stream's id, by which heartbeats and the status name it, is its owner's like its name.
func TestAnIDBelongsToItsPublisher(t *testing.T) {
	t.Parallel()
	b := newBench(t, 100)
	b.mustPublish(keyHolder("a"), "cam", "film")
	b.mustPublish(address(1), "web", "talk")
	for _, row := range []struct {
		what     string
		by       identity
		name, id string
		denied   bool
	}{
		{"another key, with the id", keyHolder("b"), "other", "film", true},
		{"another key, with the id as its name", keyHolder("b"), "film", "", true},
		{"another address, with the id", address(2), "other", "film", true},
		{"another address, with an address's id", address(2), "other", "talk", true},
		{"the owner, with its id", keyHolder("a"), "second", "film", false},
		{"a key, with an address's id", keyHolder("b"), "other", "talk", false},
		{"an id that is free", address(2), "mine", "free", false},
	} {
		if _, err := b.publish(row.by, row.name, row.id); errors.Is(err, fault.StreamDenied) != row.denied ||
			err != nil && !row.denied {
			t.Errorf("%s: %v", row.what, err)
		}
	}
}

// The address that a publisher is given for its viewers leads to its stream, also when another one gives that name
// to its own.
func TestAPlaybackAddressLeadsToItsStream(t *testing.T) {
	t.Parallel()
	b := newBench(t, 100)
	st := b.mustPublish(keyHolder("a"), "cam", "")
	b.mustPublish(keyHolder("b"), "cam-"+st.request, "")
	if got, _ := b.splitOutput("cam-" + st.request + "-out"); got != st {
		t.Error("viewers see another publisher's stream")
	}
}

// Unchecked addresses have few streams each and slots of their own: keys keep theirs, and so do other addresses.
func TestUncheckedAddressesShareSlots(t *testing.T) {
	t.Parallel()
	const limit = 12
	b := newBench(t, limit)
	var first []*stream
	for i := range maxUnchecked {
		first = append(first, b.mustPublish(address(1), fmt.Sprint("one", i), ""))
	}
	if _, err := b.publish(address(1), "one", ""); !errors.Is(err, fault.AddressBusy) {
		t.Error("more streams of one address:", err)
	}
	replaced := first[:1:1]
	for len(replaced) <= maxEnding-maxUnchecked {
		replaced = append(replaced, b.mustPublish(address(1), "one0", ""))
	}
	if _, err := b.publish(address(1), "one0", ""); !errors.Is(err, fault.AddressBusy) {
		t.Error("replaced streams that are not over cost an address nothing:", err)
	}
	for _, st := range replaced[:len(replaced)-1] {
		b.end(st)
	}
	b.mustPublish(address(1), "one0", "")
	full := false
	for n := 2; n < 30 && !full; n++ {
		_, err := b.publish(address(n), fmt.Sprint("other", n), "")
		full = errors.Is(err, fault.StreamsFull)
		if err != nil && !full {
			t.Fatal(err)
		}
	}
	if !full {
		t.Error("unchecked addresses have no limit together")
	}
	for i := range limit {
		b.mustPublish(keyHolder("a"), fmt.Sprint("key", i), "")
	}
	if _, err := b.publish(keyHolder("a"), "key", ""); !errors.Is(err, fault.StreamsFull) {
		t.Error("a key has no limit:", err)
	}
	for i := range limit / forOthers {
		b.mustPublish(keyHolder("b"), fmt.Sprint("another key's", i), "") // what one key took leaves some to others
	}
	for _, key := range []string{"b", "c"} {
		if _, err := b.publish(keyHolder(key), "key", ""); !errors.Is(err, fault.StreamsFull) {
			t.Error("keys have no limit together:", err)
		}
	}
	b.mustPublish(keyHolder("a"), "key0", "")
}

// However soon its streams end or take each other's place, an address without a key begins few; others, and keys, are
// not held up by it, and all addresses together are bounded too.
func TestUncheckedAddressesBeginFewStreams(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1000)
	begin := func(by identity) bool {
		st, err := b.publish(by, "cam "+by.name, "")
		if err == nil {
			b.end(st)
		} else if !errors.Is(err, fault.AddressBusy) {
			t.Fatal(err)
		}
		return err == nil
	}
	begun := func(by identity, times int) (n int) {
		for range times {
			if begin(by) {
				n++
			}
		}
		return n
	}
	if n := begun(address(1), 500); n > freeStarts+1 {
		t.Errorf("an address begins %d at once", n)
	}
	if n := begun(keyHolder("a"), 500); n != 500 || !begin(address(2)) {
		t.Errorf("a key begins %d, or another address none", n)
	}
	b.now = b.now.Add(10 * startEvery)
	if n := begun(address(1), 100); n < 9 || n > 11 {
		t.Errorf("%d in ten seconds", n)
	}
	sum := 0
	for i := range 200 {
		sum += begun(address(3+i), 10)
	}
	if sum > allFreeStarts+100 {
		t.Errorf("many addresses begin %d at once", sum)
	}
}

// Streams that one address begins and ends, as many as it likes, take no memory beyond a bound, and no slot of others,
// whose status stays.
func TestEndedStreamsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10)
	b.end(b.mustPublish(keyHolder("a"), "cam", ""))
	b.end(b.mustPublish(address(2), "web", ""))
	for i := range 1000 {
		b.now = b.now.Add(startEvery)
		b.end(b.mustPublish(address(1), fmt.Sprint("spam", i), ""))
	}
	if n := len(b.streams); n > 2+maxUnchecked {
		t.Error(n, "streams are remembered")
	}
	for i := range 200 {
		b.now = b.now.Add(allStartEvery)
		b.end(b.mustPublish(address(3+i), fmt.Sprint("more", i), ""))
	}
	for i := range 200 {
		b.end(b.mustPublish(keyHolder("b"), fmt.Sprint("b", i), ""))
	}
	if n := len(b.streams); n > 4*10 {
		t.Error(n, "streams are remembered")
	}
	if len(b.slots.by) != 0 {
		t.Error("slots of streams that are over:", b.slots.by)
	}
	b.now = b.now.Add(2 * b.o.Limits.Remember)
	b.mustPublish(keyHolder("a"), "cam", "")
	if n := len(b.streams); n != 1 {
		t.Error(n, "streams are remembered for longer than a minute")
	}
}

// One address has as many viewers as a stream may have, and leaves some to others and to keys.
func TestViewersOfOneAddress(t *testing.T) {
	t.Parallel()
	const most = 5
	o := newOutput(time.Now)
	join := func(from netip.Prefix) *viewer {
		v := newViewer(0)
		if !o.join(v, most, from) {
			return nil
		}
		return v
	}
	var last *viewer
	for range most {
		if last = join(address(1).from); last == nil {
			t.Fatal("an address alone is refused")
		}
	}
	if join(address(1).from) != nil {
		t.Error("one address has no limit")
	}
	if join(address(2).from) == nil {
		t.Error("one address leaves nothing to others")
	}
	for range most {
		if join(netip.Prefix{}) == nil {
			t.Error("viewers without a key leave too little to others")
		}
	}
	if join(netip.Prefix{}) != nil {
		t.Error("viewers with a key have no limit")
	}
	o.leave(last)
	o.leave(last)
	if join(address(3).from) == nil || join(address(4).from) != nil {
		t.Error("a viewer that left twice gave its slot back once, or not at all")
	}
}

// One key's smoke test leaves the other slot to others, and this machine has slots of its own.
func TestSmokeTestsAreShared(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	for i, row := range []struct {
		by   string
		want bool
	}{{"key a", true}, {"key a", false}, {"key b", true}, {"key c", false}, {ownTests, true}, {ownTests, true},
		{ownTests, false}} {
		if got := b.takeTest(row.by); got != row.want {
			t.Errorf("%d: %s: %v", i, row.by, got)
		}
	}
	b.endTest("key a")
	if !b.takeTest("key c") {
		t.Error("a test that ended has its slot still")
	}
}
