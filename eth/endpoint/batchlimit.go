package endpoint

import (
	"net/http"
	"strings"
	"time"
)

const (
	// batchMemory is how long a refusal of batches is believed.
	batchMemory = 10 * time.Minute
	// batchDoubts is how many refusals in a row, none of which says that it is
	// about batches, are taken as a word about them.
	batchDoubts = 3
	// leastBatch is the size below which a batch is not worth its trouble.
	leastBatch = 4
)

// sizeWords tell a batch that is too large from one that is no use in any size.
// Read-only.
var sizeWords = []string{"limit", "too large", "too many", "too big", "size", "maximum", "exceed", "up to", "more than", "at most"}

// batchLimit remembers how many calls an endpoint takes at once. The owner's mutex
// guards it.
type batchLimit struct {
	most   int // 0 for batchSize
	until  time.Time
	doubts int
}

// size is how many calls may go in one request; 1 means none but single ones.
func (b *batchLimit) size(now time.Time) int {
	if b.most != 0 && !now.Before(b.until) {
		*b = batchLimit{}
	}
	if b.most == 0 {
		return batchSize
	}
	return b.most
}

// taken ends doubts about batches.
func (b *batchLimit) taken() { b.doubts = 0 }

// refused books the refusal of a batch of n calls.
func (b *batchLimit) refused(n int, f *failure, now time.Time) {
	text := strings.ToLower(f.detail)
	most := 1
	switch {
	case f.status == http.StatusRequestEntityTooLarge, strings.Contains(text, "batch") && hasAny(text, sizeWords):
		if most = n / 2; most < leastBatch {
			most = 1
		}
	case f.kind == batchless && strings.Contains(text, "batch"):
	default:
		if b.doubts++; b.doubts < batchDoubts {
			return
		}
	}
	if b.most != 0 {
		most = min(most, b.most)
	}
	*b = batchLimit{most: most, until: now.Add(batchMemory)}
}
