package airouting_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tuttinode/tutti/core/airouting"
)

// prompt are the hashes of a conversation's first blocks; all conversations begin
// with the same one.
func prompt(conversation, blocks int) []uint64 {
	hashes := []uint64{42}
	for b := range blocks {
		hashes = append(hashes, uint64(conversation)<<32|uint64(b+1))
	}
	return hashes
}

func TestConversationsStayWhereTheirBeginningIs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		table := airouting.NewTable(airouting.Options{Rand: source(seed), Memory: airouting.NewMemory(0), Name: "m"})
		for i := range 8 {
			table.Put(airouting.Offer{URI: name(i), Warm: true, Capacity: 16})
		}
		shuffle := rand.New(rand.NewPCG(seed, 2))
		home := map[int]string{}
		served := map[string]int{}
		stayed, moved := 0, 0
		for turn := range 10 {
			// All conversations take their turn at once.
			var leases []*airouting.Lease
			for _, c := range shuffle.Perm(20) {
				l := pick(t, table, t0, airouting.Query{Affinity: prompt(c, 2*turn+1)})
				leases = append(leases, l)
				l.FirstByte(t0.Add(20 * ms))
				served[l.URI()]++
				switch home[c] {
				case "":
				case l.URI():
					stayed++
				default:
					moved++
				}
				home[c] = l.URI()
			}
			for _, l := range leases {
				l.Done(t0, airouting.Served)
			}
		}
		if share := float64(stayed) / float64(stayed+moved); share < 0.9 {
			t.Errorf("seed %d: %.0f %% of the turns stayed", seed, 100*share)
		}
		if len(served) < 4 {
			t.Errorf("seed %d: only %d of 8 orchestrators were used: %v", seed, len(served), served)
		}
	}
}

func TestAffinityYieldsToLoad(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"), warm("b"))
	q := airouting.Query{Affinity: []uint64{1, 2}}
	home := serve(t, table, t0, q, ms)
	for range 4 {
		pick(t, table, t0, airouting.Query{Tried: []string{other(home)}})
	}
	if got := pick(t, table, t0, q).URI(); got == home {
		t.Error("it went where there is no room")
	}
}

func other(uri string) string {
	if uri == "a" {
		return "b"
	}
	return "a"
}

func TestLongestBeginningWins(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"), warm("b"))
	for _, row := range []struct {
		tried    string
		affinity []uint64
	}{{"b", []uint64{1, 2, 3}}, {"a", []uint64{1, 2, 3, 4}}} {
		serve(t, table, t0, airouting.Query{Tried: []string{row.tried}, Affinity: row.affinity}, ms)
	}
	for range 20 {
		if got := serve(t, table, t0, airouting.Query{Affinity: []uint64{1, 2, 3, 4, 5}}, ms); got != "b" {
			t.Fatalf("went to %s", got)
		}
	}
}

func TestMemoryIsBoundedAndKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	memory := airouting.NewMemory(1000)
	table := airouting.NewTable(airouting.Options{Rand: source(1), Memory: memory, Name: "m"})
	for i := range 8 {
		table.Put(airouting.Offer{URI: name(i), Warm: true})
	}
	used := airouting.Query{Affinity: []uint64{7}}
	home := serve(t, table, t0, used, ms)
	for i := range uint64(50000) {
		serve(t, table, t0, airouting.Query{Affinity: []uint64{i + 100}}, ms)
		if i%100 == 0 {
			if got := serve(t, table, t0, used, ms); got != home {
				t.Fatalf("what is used was forgotten after %d others", i)
			}
		}
	}
	if n := memory.Len(); n > 1000 {
		t.Errorf("%d are remembered", n)
	}
}

func TestModelsDoNotShareBeginnings(t *testing.T) {
	t.Parallel()
	memory := airouting.NewMemory(0)
	homes := map[string]bool{}
	for i := range 20 {
		table := airouting.NewTable(airouting.Options{Rand: source(uint64(i)), Memory: memory, Name: fmt.Sprint("model", i)})
		for i := range 8 {
			table.Put(airouting.Offer{URI: name(i), Warm: true})
		}
		homes[serve(t, table, t0, airouting.Query{Affinity: []uint64{1}}, ms)] = true
	}
	if len(homes) < 2 {
		t.Error("20 models' equal prompts all went to one orchestrator")
	}
}
