package gateway

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/remotesigner"
)

// addRemotePaying opens the account of payments that a remote signer signs for this gateway. The signer must answer.
func (p *Part) addRemotePaying(ctx context.Context, caps *pricing.Caps) error {
	headers, err := config.HeaderList(p.Config.Signer.Headers.Reveal())
	if err != nil {
		return fault.Wrap(fault.BadOption, "read -remoteSignerHeaders", err)
	}
	client := remotesigner.NewClient(remotesigner.ClientOptions{URL: p.Config.Signer.URL.Reveal(), Header: headers,
		Board: p.Board, Log: p.Log})
	account, err := client.Account(ctx)
	if err != nil {
		return err
	}
	db, err := nodedb.Driver().Open(ctx, p.Config.Storage.DataDir, nodedb.Connect)
	if err != nil {
		return fault.Wrap(fault.SpentFailed, "open the account of payments", err)
	}
	store, issued, err := paymentlog.Open(ctx, paymentlog.Options{DB: db, Sender: account, Board: p.Board, Log: p.Log,
		Now: time.Now})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	credits, err := store.Credits(ctx)
	if err != nil {
		return errors.Join(err, store.Close(), db.Close())
	}
	paying := &Paying{Spent: store, caps: caps}
	paying.Sender = sender.New(sender.Options{
		Account: account, Remote: client, Chain: signersChain{}, Book: store, Issued: issued, Credits: credits,
		Limits: payLimits(p.Config), Recorder: p.Tickets(), Board: p.Board, Log: p.Log, Now: time.Now,
	})
	paying.payments = upstream.NewTicketPayments(upstream.TicketOptions{Sender: paying.Sender, Remote: client, Caps: caps,
		AllowExpensive: p.Config.Prices.IgnoreMaxIfNeeded})
	p.Paying = paying
	p.Log.Info("payments are signed elsewhere", "account", account.String())
	p.reportBounds()
	p.Add(nodedb.CloseAtEnd(db, "account of payments"))
	p.Add(paying.Spent)
	p.Add(paying.Sender)
	return nil
}

// signersChain stands for the chain where a remote signer watches it: the signer knows the funds and the height.
type signersChain struct{}

// View knows nothing.
func (signersChain) View() protocol.View { return protocol.View{} }

// SenderFunds lets the signer decide.
func (signersChain) SenderFunds(context.Context, core.Address) (protocol.SenderFunds, error) {
	plenty, err := core.WeiOf(new(big.Int).Lsh(big.NewInt(1), 128))
	if err != nil {
		return protocol.SenderFunds{}, err
	}
	return protocol.SenderFunds{Sender: protocol.Sender{Deposit: plenty,
		Reserve: protocol.Reserve{FundsRemaining: plenty}}}, nil
}

// signersList is where the remote signer lists orchestrators, and what is sent to it.
func (p *Part) signersList() (string, http.Header) {
	header, err := config.HeaderList(p.Config.Signer.Headers.Reveal())
	if err != nil {
		header = nil // addRemotePaying has reported it
	}
	return strings.TrimSuffix(p.Config.Signer.URL.Reveal(), "/") + remotesigner.ListPath, header
}
