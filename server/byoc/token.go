package byoc

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// Refusals of requests for a token. Read-only.
var (
	errNoAccount = &refusal{
		http.StatusBadRequest, "Must have eth address and signature on address in Livepeer-Eth-Address header",
	}
	errAccount      = &refusal{http.StatusBadRequest, "Invalid eth address header "}
	errNoCapability = &refusal{
		http.StatusBadRequest,
		"Job capabilities not provided, must provide comma separated capabilities in Livepeer-Capability header",
	}
)

// tokenAnswer is what a gateway needs for its next request.
type tokenAnswer struct {
	Sender struct {
		Address string `json:"addr"`
		Sig     string `json:"sig"`
	} `json:"sender_address"`
	Params    *rpc.TicketParams `json:"ticket_params,omitempty"`
	Balance   int64             `json:"balance,omitempty"`
	Price     *rpc.PriceInfo    `json:"price,omitempty"`
	Service   string            `json:"service_addr"`
	Available int               `json:"available_capacity,omitempty"`
	LastNonce uint32            `json:"LastNonce"`
}

// token answers what a capability costs and how many slots are free. Without any the answer is the same.
func (s *Server) token(w http.ResponseWriter, r *http.Request) error {
	header := r.Header.Get(headerAccount)
	if header == "" {
		return errNoAccount
	}
	account, err := byoc.ParseAccount(header)
	if err != nil || s.o.Rules.CheckSender(account.Address, []byte(account.Address.String()), account.Sig) != nil {
		return errAccount
	}
	name := r.Header.Get(headerCapability)
	if !byoc.ValidName(name) {
		return errNoCapability
	}
	c, free, _ := s.registry.Find(name)
	price, err := s.price(&c)
	if err != nil || s.o.Rules.Draining() {
		free = 0
	}
	work := &orchestrate.CapabilityWork{Capability: name, Sender: account.Address, Price: price, From: r.RemoteAddr}
	terms, err := s.o.Rules.CapabilityTerms(r.Context(), account.Address, price, r.RemoteAddr)
	switch {
	case fault.CodeOf(err) == fault.InsufficientSenderReserve:
		w.Header().Set(rpc.CodeHeader, string(fault.InsufficientSenderReserve))
		return &refusal{http.StatusServiceUnavailable, fault.Wire(err)}
	case err != nil:
		return err
	}
	a := tokenAnswer{
		Balance: wholeWei(s.o.Rules.CapabilityBalance(work)), Price: rpc.ToPriceInfo(price), Service: s.o.ServiceURI,
		Available: free,
	}
	a.Sender.Address, a.Sender.Sig = account.Text, account.SigText
	if terms != nil {
		a.Params = rpc.ToTicketParams(terms.Params)
	}
	data, err := json.Marshal(&a)
	if err != nil {
		return fault.Wrap(fault.Unexpected, "encode a token", err)
	}
	s.write(w, http.StatusOK, typeJSON, append(data, '\n'))
	return nil
}

// wholeWei is an amount as a token has it.
func wholeWei(v pm.Value) int64 {
	n := v.Floor()
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Cmp(new(big.Int)) < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

var errUnregistered = errors.New("it is not registered")

// price is that of a second of a capability's work.
func (s *Server) price(c *byoc.Registration) (pm.Price, error) {
	free := pm.Price{PixelsPerUnit: 1}
	switch {
	case c.URL == nil:
		return free, errUnregistered
	case s.o.Rate == nil:
		return free, nil
	}
	p, err := c.Wei(s.o.Rate)
	if err != nil {
		return free, err
	}
	return p, nil
}

// paymentOf adds the payment of a request to what it pays for.
func paymentOf(h http.Header, work *orchestrate.CapabilityWork) {
	text := h.Get(rpc.PaymentHeader)
	if text == "" {
		return
	}
	work.HasPayment = true
	m, err := rpc.DecodePayment(text)
	if err != nil {
		work.PaymentErr = err
		return
	}
	work.Payment, work.PaymentErr = rpc.FromPayment(m)
}

// workOf is a job's work at a price, with its payment.
func workOf(r *http.Request, capability string, sender core.Address, price pm.Price) *orchestrate.CapabilityWork {
	work := &orchestrate.CapabilityWork{Capability: capability, Sender: sender, Price: price, From: r.RemoteAddr}
	paymentOf(r.Header, work)
	return work
}
