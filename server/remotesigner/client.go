package remotesigner

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/remotesigner"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/rpc"
)

// Bounds of a client's requests.
const (
	requestTime = 10 * time.Second
	maxReply    = 1 << 20
	// maxSessions bounds the states that a client keeps.
	maxSessions = 1 << 16
	// ticketsPerRequest is what existing signers make at most.
	ticketsPerRequest = 100
)

// ClientOptions make a Client. URL must be set.
type ClientOptions struct {
	// URL is the signer's, with its scheme; Header are sent to it alone.
	URL    string
	Header http.Header
	// Board gets the condition SignerUnreachable.
	Board *health.Board
	Log   *slog.Logger
}

// Client has payments signed by a remote signer. It keeps the state of each session at an orchestrator. It is safe for
// concurrent use.
type Client struct {
	opt  ClientOptions
	http *http.Client

	mu sync.Mutex
	// identity is the account's; sessions are by orchestrator and account there. Guarded by mu.
	address, sig []byte
	sessions     map[string]*session
}

// session is what was paid into one account.
type session struct {
	// mu is held during a request, because each needs the state of the one before.
	mu    sync.Mutex
	state *signedState
}

var _ sender.Remote = (*Client)(nil)

// NewClient makes a client; it asks nothing.
func NewClient(opt ClientOptions) *Client {
	return &Client{opt: opt, sessions: make(map[string]*session), http: &http.Client{
		Timeout: requestTime,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: requestTime, MaxResponseHeaderBytes: maxHeader},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Account asks for the account that pays. The error is a fault.
func (c *Client) Account(ctx context.Context) (core.Address, error) {
	address, _, err := c.Identity(ctx)
	if err != nil {
		return core.Address{}, err
	}
	return core.Address(address), nil
}

// Identity is the account and its signature over itself. It is requested once.
func (c *Client) Identity(ctx context.Context) (address, sig []byte, err error) {
	c.mu.Lock()
	address, sig = c.address, c.sig
	c.mu.Unlock()
	if sig != nil {
		return address, sig, nil
	}
	var answer struct{ Address, Signature string }
	if err := c.post(ctx, "/sign-orchestrator-info", struct{}{}, &answer); err != nil {
		return nil, nil, refusedFault(err)
	}
	account, err := core.ParseAddress(answer.Address)
	if err == nil {
		sig, err = hex.DecodeString(strings.TrimPrefix(answer.Signature, "0x"))
	}
	if err != nil {
		return nil, nil, fault.Wrap(fault.SignerUnreachable, "ask the remote signer for its account", err)
	}
	c.mu.Lock()
	c.address, c.sig = account[:], sig
	c.mu.Unlock()
	return account[:], sig, nil
}

// SignSegment has a segment's description signed.
func (c *Client) SignSegment(ctx context.Context, description []byte) ([]byte, error) {
	var answer segmentAnswer
	err := c.post(ctx, segmentPath, segmentRequest{description}, &answer)
	return answer.Signature, refusedFault(err)
}

// refusedFault makes a refusal the fault SignerRefused.
func refusedFault(err error) error {
	if r, ok := refusalOf(err); ok {
		return fault.New(fault.SignerRefused, opSigned, r.Text)
	}
	return err
}

// Issue has n tickets made, or more where the smallest payment is worth more.
func (c *Client) Issue(ctx context.Context, t *sender.Terms, n int) (*pm.Payment, error) {
	s := c.session(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	var out *pm.Payment
	for n > 0 {
		paid, err := c.issueSome(ctx, t, s, min(n, ticketsPerRequest))
		if err != nil {
			return nil, err
		}
		n -= len(paid.Tickets)
		if out == nil {
			out = paid
			continue
		}
		out.Tickets = append(out.Tickets, paid.Tickets...)
	}
	return out, nil
}

// session finds the state of an account at an orchestrator.
func (c *Client) session(t *sender.Terms) *session {
	key := t.Peer + "\x00" + t.Address.String() + "\x00" + string(t.Key)
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[key]
	if s == nil {
		if len(c.sessions) >= maxSessions {
			clear(c.sessions) // their credit is small, and new states begin without it
		}
		s = new(session)
		c.sessions[key] = s
	}
	return s
}

// issueSome makes one request for tickets. A session whose price has risen starts again.
func (c *Client) issueSome(ctx context.Context, t *sender.Terms, s *session, n int) (*pm.Payment, error) {
	paid, err := c.generate(ctx, t, s, n)
	if refused, ok := refusalOf(err); ok && refused.Status == remotesigner.StatusPriceTooHigh && s.state != nil {
		s.state = nil
		paid, err = c.generate(ctx, t, s, n)
	}
	if refused, ok := refusalOf(err); ok && refused.Status == remotesigner.StatusRefresh {
		return nil, fault.New(fault.TicketParamsStale, opSigned, refused.Text)
	}
	return paid, refusedFault(err)
}

const opSigned = "have tickets signed"

// generate asks for units that n tickets cover. Errors are refusals and faults.
func (c *Client) generate(ctx context.Context, t *sender.Terms, s *session, n int) (*pm.Payment, error) {
	units, err := unitsFor(t, s.state, n)
	if err != nil {
		return nil, fault.Wrap(fault.SignerUnreachable, opSigned, err)
	}
	var answer paymentAnswer
	if err := c.post(ctx, "/generate-live-payment", paymentRequest{State: s.state, Orchestrator: t.Raw,
		ManifestID: string(t.Key), InPixels: units}, &answer); err != nil {
		return nil, err
	}
	s.state = &answer.State
	m := new(rpc.Payment)
	if err := rpc.Unmarshal(answer.Payment, m); err != nil {
		return nil, fault.Wrap(fault.SignerUnreachable, opSigned, err)
	}
	paid, err := rpc.FromPayment(m)
	if err != nil || len(paid.Tickets) == 0 {
		return nil, fault.New(fault.SignerUnreachable, opSigned, fmt.Sprintf("its payment is unusable: %v", err))
	}
	return &paid, nil
}

// unitsFor returns how many units n tickets pay for, with what earlier ones left over.
func unitsFor(t *sender.Terms, s *signedState, n int) (int64, error) {
	price, have := t.Price.Rat(), t.EV().Times(int64(n))
	if s != nil {
		var state remotesigner.State
		if err := json.Unmarshal(s.State, &state); err != nil {
			return 0, err
		}
		if left, ok := state.Left(); ok {
			have = have.Add(left)
		}
		if state.InitialPricePerUnit > 0 && state.InitialPixelsPerUnit > 0 {
			price = big.NewRat(state.InitialPricePerUnit, state.InitialPixelsPerUnit)
		}
	}
	r := have.Rat()
	units := pm.ValueOf(r.Quo(r, price)).Floor()
	if !units.IsInt64() {
		return 0, fmt.Errorf("%s units are too many", units)
	}
	return max(1, units.Int64()), nil
}

func refusalOf(err error) (*remotesigner.Refusal, bool) {
	r, ok := err.(*remotesigner.Refusal)
	return r, ok
}

// post asks the signer. Errors are refusals, and the fault SignerUnreachable.
func (c *Client) post(ctx context.Context, path string, question, answer any) error {
	err := c.try(ctx, path, question, answer)
	if c.opt.Board != nil && ctx.Err() == nil {
		key := health.Key{Code: fault.SignerUnreachable}
		if fault.CodeOf(err) == fault.SignerUnreachable {
			c.opt.Board.Report(key, err)
		} else {
			c.opt.Board.Clear(key)
		}
	}
	return err
}

func (c *Client) try(ctx context.Context, path string, question, answer any) error {
	const op = "ask the remote signer"
	body, err := json.Marshal(question)
	if err != nil {
		return fault.Wrap(fault.Unexpected, op, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(c.opt.URL, "/")+path,
		bytes.NewReader(body))
	if err != nil {
		return fault.Wrap(fault.SignerUnreachable, op, conceal(err))
	}
	for name, values := range c.opt.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return fault.Wrap(fault.SignerUnreachable, op, conceal(err))
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil || len(text) > maxReply:
		return fault.New(fault.SignerUnreachable, op, "its answer was not read")
	case resp.StatusCode == http.StatusOK:
		if err := json.Unmarshal(text, answer); err != nil {
			return fault.New(fault.SignerUnreachable, op, "its answer is no JSON of the known form")
		}
		return nil
	}
	var refused errorAnswer
	if json.Unmarshal(text, &refused) != nil || refused.Error.Message == "" {
		return fault.New(fault.SignerUnreachable, op, fmt.Sprintf("%s is answered with status %d", path, resp.StatusCode))
	}
	message := refused.Error.Message
	return &remotesigner.Refusal{Status: resp.StatusCode, Text: message[:min(len(message), maxReason)]}
}
