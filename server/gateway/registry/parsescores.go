package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tuttinode/tutti/core"
)

const (
	// maxScoreBytes bounds an answer, maxOrchestrators the scores that are taken from it.
	maxScoreBytes    = 8 << 20
	maxOrchestrators = 10_000
)

var (
	errNoScores       = errors.New("the answer has no score of an orchestrator in the region")
	errScoresTooLarge = errors.New("the answer is larger than 8 MiB")
)

// parseScores reads an answer: {"0x…": {"FRA": {"score": 0.9, …}, …}, …}. Entries that are no orchestrator's, and
// scores that are not between 0 and 1, are left out; an answer without a usable one is an error.
func parseScores(r io.Reader, region string) (map[core.Address]float64, error) {
	limited := &io.LimitedReader{R: r, N: maxScoreBytes + 1}
	dec := json.NewDecoder(limited)
	out := make(map[core.Address]float64)
	err := readScores(dec, region, out)
	switch {
	case limited.N == 0:
		return nil, errScoresTooLarge
	case err != nil:
		return nil, fmt.Errorf("the answer is no JSON of scores: %w", err)
	case len(out) == 0:
		return nil, errNoScores
	}
	return out, nil
}

// readScores reads entry by entry, so that one of another form does no harm to the rest.
func readScores(dec *json.Decoder, region string, out map[core.Address]float64) error {
	start, err := dec.Token()
	if err != nil {
		return err
	}
	if start != json.Delim('{') {
		return errors.New("it is no object")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var entry json.RawMessage
		if err := dec.Decode(&entry); err != nil {
			return err
		}
		text, _ := name.(string)
		account, err := core.ParseAddress(text)
		if err != nil || len(out) >= maxOrchestrators {
			continue
		}
		if score, ok := scoreOf(entry, region); ok {
			out[account] = score
		}
	}
	_, err = dec.Token()
	return err
}

// scoreOf is an orchestrator's score in a region, its best one without a region.
func scoreOf(entry []byte, region string) (best float64, ok bool) {
	var regions map[string]json.RawMessage
	if json.Unmarshal(entry, &regions) != nil {
		return 0, false
	}
	for name, raw := range regions {
		if region != "" && !strings.EqualFold(name, region) {
			continue
		}
		var stats struct {
			Score *float64 `json:"score"`
		}
		if json.Unmarshal(raw, &stats) != nil || stats.Score == nil || *stats.Score < 0 || *stats.Score > 1 {
			continue
		}
		best, ok = max(best, *stats.Score), true
	}
	return best, ok
}
