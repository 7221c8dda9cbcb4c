package contracts

import (
	"fmt"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// Quote is what a price feed says: Base in units of Quote costs Price.
type Quote struct {
	// Description is of the form "ETH / USD".
	Description string
	Decimals    uint8
	// Answer divided by 10^Decimals is the price; it is above 0.
	Answer  *big.Int
	Updated time.Time
}

// maxFeedDecimals is far beyond any feed's scale; more would cost memory.
const maxFeedDecimals = 36

// Price returns the answer in units.
func (q Quote) Price() *big.Rat {
	if q.Answer == nil {
		return new(big.Rat)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(q.Decimals)), nil)
	return new(big.Rat).SetFrac(q.Answer, scale)
}

// Quote asks a price feed, which need not belong to the protocol.
func (r Reads) Quote(feed core.Address, out *Quote) []Read {
	return []Read{
		view("PriceFeed.description", feed, feedABI.PackDescription(), feedABI.UnpackDescription, setText(&out.Description)),
		view("PriceFeed.decimals", feed, feedABI.PackDecimals(), feedABI.UnpackDecimals,
			func(c *convert, v uint8) { takeDecimals(c, v, out) }),
		view("PriceFeed.latestRoundData", feed, feedABI.PackLatestRoundData(), feedABI.UnpackLatestRoundData,
			func(c *convert, v bindings.LatestRoundDataOutput) { takeAnswer(c, v, out) }),
	}
}

func takeDecimals(c *convert, v uint8, out *Quote) {
	if v > maxFeedDecimals {
		c.fail(fmt.Errorf("%w: %d decimal places", errOutOfRange, v))
		return
	}
	out.Decimals = v
}

func takeAnswer(c *convert, v bindings.LatestRoundDataOutput, out *Quote) {
	out.Answer, out.Updated = c.big(v.Answer), c.moment(v.UpdatedAt)
	if out.Answer.Sign() <= 0 {
		c.fail(fmt.Errorf("%w: the price %s is not above 0", errOutOfRange, out.Answer))
	}
}
