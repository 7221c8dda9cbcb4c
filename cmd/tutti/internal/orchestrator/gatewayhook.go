package orchestrator

import (
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/server/orchestrator"
)

// NewGatewayHook makes what asks the operator's service about gateways; nil without one. book is nil off-chain.
func NewGatewayHook(env *nodeenv.Env, book *pricing.Book) *orchestrator.GatewayHook {
	if env.Config.Gateway.AuthWebhook.IsZero() {
		return nil
	}
	check := func(core.UnitPrice) error { return nil } // off-chain nothing has a price
	if book != nil {
		check = book.CheckWei
	}
	return orchestrator.NewGatewayHook(orchestrator.GatewayHookOptions{
		URL: env.Config.Gateway.AuthWebhook.Reveal(), Check: check, Now: time.Now,
		Report: func(err error) { env.Board.Report(health.Key{Code: fault.GatewayHookFailed}, err) },
	})
}

// HookedPrices are those of book, but for gateways to which the service gave a price. hook may be nil.
func HookedPrices(book *pricing.Book, hook *orchestrator.GatewayHook) recipient.Prices {
	if hook == nil {
		return book
	}
	return pricing.Hooked{Book: book, Own: hook.Price}
}
