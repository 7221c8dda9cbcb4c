package devices

import (
	"testing"

	"pgregory.net/rapid"
)

func shares(most, cards int) (out []int, sum int) {
	for before := range cards {
		n := share(most, cards, before)
		out = append(out, n)
		sum += n
	}
	return out, sum
}

func TestShares(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ most, cards int }{{8, 1}, {9, 2}, {12, 3}, {8, 4}, {3, 2}, {5, 1}, {12, 8}} {
		got, _ := shares(row.most, row.cards)
		t.Log(row.most, row.cards, got)
	}
	rapid.Check(t, func(t *rapid.T) {
		most, cards := rapid.IntRange(1, 31).Draw(t, "most"), rapid.IntRange(1, 16).Draw(t, "cards")
		got, sum := shares(most, cards)
		for i, n := range got {
			if n < 1 || i > 0 && n > got[i-1] {
				t.Fatalf("%v", got)
			}
		}
		if most/cards >= renditions && sum != most {
			t.Fatalf("%v are not %d", got, most)
		}
		// A usual stream finds a GPU wherever the driver would permit it one.
		if most >= renditions && got[0] < renditions || sum > most+cards {
			t.Fatalf("%d: %v", most, got)
		}
	})
}
