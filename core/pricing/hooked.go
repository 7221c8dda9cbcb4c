package pricing

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
)

// Hooked are the prices of a Book, but for transcoding for gateways to which a service of the operator's gave a price
// of their own.
type Hooked struct {
	*Book
	// Own is a gateway's price of a pixel in wei, nil without one.
	Own func(gateway core.Address) *big.Rat
}

// Transcoding returns what a gateway pays for a pixel, see Book.Transcoding.
func (h Hooked) Transcoding(gateway core.Address) *big.Rat {
	if p := h.Own(gateway); p != nil {
		return p
	}
	return h.Book.Transcoding(gateway)
}

// CheckWei is the error of a price in wei that cannot be asked for.
func (b *Book) CheckWei(u core.UnitPrice) error {
	return checkPrice(u, AskedWith(b.opt.AutoAdjust), nil)
}
