package registry

import (
	"strings"
	"testing"
)

// Whatever a service answers, scores are between 0 and 1, and there are not too many.
func FuzzParse(f *testing.F) {
	f.Add(`{"0x10742714f33f3d804e3fa489618b5c3ca12a6df7":{"FRA":{"score":0.9}}}`, "FRA")
	f.Add(`{"0x10742714f33f3d804e3fa489618b5c3ca12a6df7":{"FRA":{"score":1e999}}}`, "")
	f.Add(`[]`, "")
	f.Add(`{"a":{`, "x")
	f.Add(`{"0x10742714f33f3d804e3fa489618b5c3ca12a6df7":{"":{"score":-0}}}`, "")
	f.Fuzz(func(t *testing.T, answer, region string) {
		scores, err := parseScores(strings.NewReader(answer), region)
		if err == nil && len(scores) == 0 || len(scores) > maxOrchestrators {
			t.Errorf("%d scores, %v", len(scores), err)
		}
		for account, score := range scores {
			if !(score >= 0 && score <= 1) {
				t.Errorf("%s has %v", account, score)
			}
		}
	})
}
