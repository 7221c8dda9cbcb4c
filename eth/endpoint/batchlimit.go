package endpoint

import (
	"net/http"
	"strings"
	"time"
)

const (
	// batchLimitTTL is how long a refusal of batches is remembered.
	batchLimitTTL = 10 * time.Minute
	// maxAmbiguousRefusals is how many refusals in a row that do not mention batches count as a refusal of
	// batches.
	maxAmbiguousRefusals = 3
	// minBatch is the size below which single calls are used instead.
	minBatch = 4
)

// sizeWords tell a batch that is too large from one that is refused in any size. Read-only.
var sizeWords = []string{"limit", "too large", "too many", "too big", "size", "maximum", "exceed", "up to",
	"more than", "at most"}

// batchLimit remembers how many calls an endpoint accepts in one request. The owner's mutex guards it.
type batchLimit struct {
	limit     int // 0 for batchSize
	until     time.Time
	ambiguous int
}

// size returns how many calls may go in one request; 1 means no batches.
func (b *batchLimit) size(now time.Time) int {
	if b.limit != 0 && !now.Before(b.until) {
		*b = batchLimit{}
	}
	if b.limit == 0 {
		return batchSize
	}
	return b.limit
}

// accepted resets the count of ambiguous refusals.
func (b *batchLimit) accepted() { b.ambiguous = 0 }

// refused records the refusal of a batch of n calls.
func (b *batchLimit) refused(n int, f *failure, now time.Time) {
	text := strings.ToLower(f.detail)
	most := 1
	switch {
	case f.status == http.StatusRequestEntityTooLarge, strings.Contains(text, "batch") && hasAny(text, sizeWords):
		if most = n / 2; most < minBatch {
			most = 1
		}
	case f.kind == noBatches && strings.Contains(text, "batch"):
	default:
		if b.ambiguous++; b.ambiguous < maxAmbiguousRefusals {
			return
		}
	}
	if b.limit != 0 {
		most = min(most, b.limit)
	}
	*b = batchLimit{limit: most, until: now.Add(batchLimitTTL)}
}
