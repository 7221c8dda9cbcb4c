package responses_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
	"github.com/tuttinode/tutti/test/coretest"
)

func ownerOf(name string) responses.Owner { return apikeys.HashOf(name) }

// storedOf makes a response of n bytes that goes on from a turn.
func storedOf(id string, n int, previous *responses.Turn) responses.StoredResponse {
	return responses.StoredResponse{ID: id, Object: []byte(strings.Repeat("o", n)),
		Turn: &responses.Turn{Previous: previous, Input: []byte("[]"), Output: []byte("[]")}}
}

func newTestStore(l responses.StoreLimits) (*responses.Store, *coretest.Clock) {
	clock := coretest.NewClock(time.Unix(1_800_000_000, 0))
	return responses.NewStore(l, clock.Now), clock
}

func hasIDs(s *responses.Store, owner responses.Owner, ids ...string) string {
	var out []string
	for _, id := range ids {
		if r, ok := s.Get(owner, id); ok && r.ID == id {
			out = append(out, id)
		}
	}
	return strings.Join(out, " ")
}

// A key has its own responses only, as many, as large and as old as the limits say.
func TestLimitsOfAKey(t *testing.T) {
	t.Parallel()
	s, clock := newTestStore(responses.StoreLimits{PerKey: 2, KeyBytes: 8 << 10, Age: time.Hour})
	a, b := ownerOf("a"), ownerOf("b")
	for _, id := range []string{"1", "2", "3"} {
		if !s.Put(a, storedOf(id, 10, nil)) {
			t.Fatalf("%s is not kept", id)
		}
	}
	s.Put(b, storedOf("4", 10, nil))
	if got := hasIDs(s, a, "1", "2", "3", "4"); got != "2 3" {
		t.Errorf("two are kept: %s", got)
	}
	if got := hasIDs(s, b, "1", "2", "3", "4"); got != "4" {
		t.Errorf("the other key has %s", got)
	}
	if s.Delete(b, "3") || !s.Delete(a, "3") || s.Delete(a, "3") {
		t.Error("only its own key deletes a response, once")
	}
	if s.Put(a, storedOf("5", 8<<10, nil)) || hasIDs(s, a, "2", "5") != "2" {
		t.Error("one above the limit of a key is not kept, and costs no other")
	}
	s.Put(a, storedOf("6", 6<<10, nil))
	if got := hasIDs(s, a, "2", "6"); got != "6" {
		t.Errorf("bytes of a key: %s", got)
	}
	if s.Put(a, storedOf("6", 1, nil)) {
		t.Error("an ID is taken twice")
	}
	clock.Forward(time.Hour - time.Second)
	s.Put(a, storedOf("7", 10, nil))
	clock.Forward(time.Second)
	if got := hasIDs(s, a, "6", "7") + hasIDs(s, b, "4"); got != "7" {
		t.Errorf("after an hour there is %s", got)
	}
	clock.Forward(time.Hour)
	if responses, keys, bytes := s.Held(); responses+keys != 0 || bytes != 0 {
		t.Errorf("%d responses of %d keys, %d bytes remain", responses, keys, bytes)
	}
}

// A key that fills the store loses its own responses, not those of others.
func TestOneKeyDisplacesNoOther(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(responses.StoreLimits{Bytes: 64 << 10, KeyBytes: 48 << 10, PerKey: 1000})
	small := ownerOf("small")
	s.Put(small, storedOf("s", 1<<10, nil))
	for i := range 200 {
		s.Put(ownerOf("large"), storedOf(fmt.Sprint(i), 3<<10, nil))
		s.Put(ownerOf("larger"), storedOf(fmt.Sprint(i), 4<<10, nil))
	}
	if hasIDs(s, small, "s") == "" {
		t.Error("others displaced the key that holds least")
	}
	if _, _, bytes := s.Held(); bytes > 64<<10 {
		t.Errorf("%d bytes are kept", bytes)
	}
	// However many keys there are, all together stay within the limit.
	for i := range 2000 {
		s.Put(ownerOf(fmt.Sprint("many", i)), storedOf("r", 100, nil))
	}
	if responses, keys, bytes := s.Held(); bytes > 64<<10 || keys != responses || keys < 10 {
		t.Errorf("%d responses of %d keys, %d bytes", responses, keys, bytes)
	}
}

// A turn outlives the response that made it while another goes on from it, and counts.
func TestTurnsAreShared(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(responses.StoreLimits{})
	a := ownerOf("a")
	first := storedOf("1", 10, nil)
	first.Turn.Input = []byte(strings.Repeat("i", 10_000))
	s.Put(a, first)
	_, _, alone := s.Held()
	s.Put(a, storedOf("2", 10, first.Turn))
	s.Put(a, storedOf("3", 10, first.Turn))
	if _, _, all := s.Held(); all-alone > 4<<10 {
		t.Errorf("a shared turn counts again: %d bytes, then %d", alone, all)
	}
	s.Delete(a, "1")
	s.Delete(a, "2")
	if _, _, left := s.Held(); left < 10_000 {
		t.Errorf("%d bytes count while a turn of 10000 is in use", left)
	}
	s.Delete(a, "3")
	if _, _, left := s.Held(); left != 0 {
		t.Errorf("%d bytes remain", left)
	}
	// A request that began before the turn was dropped brings it back.
	if !s.Put(a, storedOf("4", 10, first.Turn)) {
		t.Fatal("it is not kept")
	}
	if _, _, left := s.Held(); left < 10_000 {
		t.Errorf("%d bytes count with the turn back", left)
	}
}

// Whatever is done in whatever order, the limits hold and every byte is counted once.
func TestStoreKeepsItsLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := responses.StoreLimits{Bytes: 40 << 10, KeyBytes: 16 << 10, PerKey: 5, Age: time.Hour}
		s, clock := newTestStore(limits)
		owners := []responses.Owner{ownerOf("a"), ownerOf("b"), ownerOf("c"), ownerOf("d")}
		ids := make([][]string, len(owners))
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			k := rapid.IntRange(0, len(owners)-1).Draw(t, "key")
			owner := owners[k]
			pick := func() string {
				if len(ids[k]) == 0 {
					return "none"
				}
				return ids[k][rapid.IntRange(0, len(ids[k])-1).Draw(t, "id")]
			}
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				s.Delete(owner, pick())
			case 1:
				clock.Forward(time.Duration(rapid.IntRange(0, 40).Draw(t, "minutes")) * time.Minute)
			default:
				before, _ := s.Get(owner, pick())
				id := fmt.Sprint(i)
				s.Put(owner, storedOf(id, rapid.IntRange(0, 6<<10).Draw(t, "size"), before.Turn))
				ids[k] = append(ids[k], id)
			}
			checkHeld(t, s, owners, ids, limits)
		}
	})
}

// checkHeld compares what the store says with what can be had from it.
func checkHeld(t *rapid.T, s *responses.Store, owners []responses.Owner, ids [][]string, limits responses.StoreLimits) {
	const overhead = 512
	all, bytes := 0, int64(0)
	turns := make(map[*responses.Turn]bool)
	for k, owner := range owners {
		own, n := int64(0), 0
		for _, id := range ids[k] {
			r, ok := s.Get(owner, id)
			if !ok {
				continue
			}
			n++
			own += int64(len(r.Object)+len(r.ID)) + overhead
			for turn := r.Turn; turn != nil && !turns[turn]; turn = turn.Previous {
				turns[turn] = true
				own += int64(len(turn.Input)+len(turn.Output)) + overhead
			}
		}
		if n > limits.PerKey || own > limits.KeyBytes {
			t.Fatalf("a key has %d responses, %d bytes", n, own)
		}
		all, bytes = all+n, bytes+own
	}
	if n, _, b := s.Held(); n != all || b != bytes || b > limits.Bytes {
		t.Fatalf("the store counts %d responses, %d bytes; there are %d, %d", n, b, all, bytes)
	}
}
