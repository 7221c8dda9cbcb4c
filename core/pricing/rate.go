package pricing

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
)

// rate is what one unit of a currency is worth.
type rate struct {
	// currency is in capitals, "USD".
	currency string
	wei      *big.Rat
	// updated is the feed's time, taken the node's.
	updated, taken time.Time
	// confirmed: it was near the rate before. The first one is not, and gives way to another.
	confirmed bool
}

// Bounds on an accepted rate.
const (
	// maxAge is the age of a feed's answer from which on it is stale.
	maxAge = 24 * time.Hour
	// stepTime is the time in which a rate may change by half.
	stepTime = time.Hour
)

var (
	errDescription = errors.New("its description is not of the form ETH / currency")
	errNoPrice     = errors.New("its price is not above 0")
)

func weiPerEther() *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
}

func currencyForm() *regexp.Regexp { return regexp.MustCompile(`^[A-Z]{1,16}$`) }

// newRate reads a feed's answer: the price of the first currency of its description in the second. One of
// them must be ETH, either may.
func newRate(description string, price *big.Rat, updated, now time.Time) (rate, error) {
	first, second, found := strings.Cut(description, "/")
	first, second = strings.ToUpper(strings.TrimSpace(first)), strings.ToUpper(strings.TrimSpace(second))
	if !found || !currencyForm().MatchString(first) || !currencyForm().MatchString(second) ||
		(first == "ETH") == (second == "ETH") {
		return rate{}, errDescription
	}
	if price == nil || price.Sign() <= 0 {
		return rate{}, errNoPrice
	}
	r := rate{currency: first, updated: updated, taken: now}
	if first == "ETH" {
		r.currency, r.wei = second, new(big.Rat).Quo(weiPerEther(), price)
	} else {
		r.wei = new(big.Rat).Mul(weiPerEther(), price)
	}
	return r, nil
}

// Wei returns a price of one unit in wei, as a copy. It is false while the rate of its currency is not known, and
// then has it fetched. A price of 0 is 0 in every currency; an unset one is 0 too.
func (r *Rates) Wei(u core.UnitPrice) (*big.Rat, bool) {
	if wei, ok := u.WeiPerPixel(); ok {
		return wei, true
	}
	amount := u.PerPixel()
	if amount.Sign() == 0 {
		return amount, true
	}
	if r == nil {
		return nil, false
	}
	r.need.Do(func() { close(r.needed) })
	now := r.now.Load()
	if now == nil || !strings.EqualFold(now.currency, u.Price.Currency) {
		return nil, false
	}
	return amount.Mul(amount, now.wei), true
}

// rejectReason is why a rate is not accepted, "" when it is. last is the one in use, nil for none. A rate
// that jumped is accepted once enough time passed that a change by half per hour explains it.
func (r rate) rejectReason(last *rate) string {
	if age := r.taken.Sub(r.updated); age > maxAge {
		return fmt.Sprintf("the feed's answer is %s old", age.Round(time.Minute))
	}
	if last == nil {
		return ""
	}
	if last.currency != r.currency {
		return fmt.Sprintf("the feed had the rate of %s and now has that of %s", last.currency, r.currency)
	}
	hours := max(1, int64((r.taken.Sub(last.taken)+stepTime-1)/stepTime))
	step := big.NewRat(2+min(hours, 1<<20), 2)
	high, low := new(big.Rat).Mul(last.wei, step), new(big.Rat).Quo(last.wei, step)
	if r.wei.Cmp(high) > 0 || r.wei.Cmp(low) < 0 {
		return fmt.Sprintf("1 %s was %s wei and the feed now answers %s wei", r.currency, last.wei.FloatString(0),
			r.wei.FloatString(0))
	}
	return ""
}
