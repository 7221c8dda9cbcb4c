package upstream

import (
	"context"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/rpc"
)

// noTokenExpiry is how long a token without an expiry is taken to hold.
const noTokenExpiry = 30 * time.Minute

// maxAsked is how many orchestrators one discovery asks at once. Those who do not
// answer hold a place for as long as a connection may take.
const maxAsked = 256

// OfferOf is what the rules need to know of an orchestrator's terms.
func OfferOf(info Info, now time.Time) videorouting.Offer {
	o := videorouting.Offer{URI: info.GetTranscoder(), Token: info.GetAuthToken() != nil}
	if a := info.GetAddress(); len(a) == len(o.Address) {
		o.Address = core.Address(a)
	}
	o.Price = priceOf(info)
	o.Session = core.SessionID(info.GetAuthToken().GetSessionId())
	o.Expires = now.Add(noTokenExpiry)
	if at := info.GetAuthToken().GetExpiration(); at > 0 {
		o.Expires = time.Unix(at, 0)
	}
	if c := info.GetCapabilities(); c != nil {
		caps := c.Capability()
		o.Capabilities = &caps
	}
	return o
}

// Ask gets an orchestrator's terms for a job. Errors are faults: with code
// OrchestratorCapped when it has no room, else OrchestratorUnreachable,
// OrchestratorSilent, OrchestratorDeclined, or Canceled when ctx was canceled.
func (c *Client) Ask(ctx context.Context, uri string, wants *videorouting.Wants) (Info, error) {
	info, _, err := c.askWithCode(ctx, uri, wants)
	return info, err
}

// askWithCode is Ask, and the code under which a node of our own kind says that it has the model
// and does not offer it.
func (c *Client) askWithCode(ctx context.Context, uri string, wants *videorouting.Wants) (Info, fault.Code, error) {
	const op = "ask orchestrator"
	client, done, err := c.calls.to(uri)
	if err != nil {
		return nil, "", fault.Wrap(fault.OrchestratorUnreachable, op, err)
	}
	defer done()
	address, sig, err := c.payments.Identity(ctx)
	if err != nil {
		return nil, "", signFault("identify to orchestrator", err)
	}
	var trailer metadata.MD
	info, err := client.GetOrchestrator(ctx, &rpc.OrchestratorRequest{
		Address: address, Sig: sig, Capabilities: rpc.FromCapabilities(wants.Capabilities),
	}, grpc.Trailer(&trailer))
	if err != nil {
		return nil, "", callFault(ctx, op, err)
	}
	return info, modelCode(trailer), nil
}

// callFault names a failed call. Peers may answer with the statuses by which gRPC
// tells that our own context ended; only the context says that it did.
func callFault(ctx context.Context, op string, err error) error {
	st := status.Convert(err)
	switch {
	case st.Code() == codes.Unavailable:
		return fault.Wrap(fault.OrchestratorUnreachable, op, err)
	case st.Code() == codes.DeadlineExceeded && late(ctx):
		return fault.Wrap(fault.OrchestratorSilent, op, err)
	case st.Code() == codes.Canceled && errors.Is(ctx.Err(), context.Canceled):
		return fault.Wrap(fault.Canceled, op, err)
	}
	if isCapped(st.Message()) {
		return &fault.Fault{Code: fault.OrchestratorCapped, Op: op, Detail: st.Message(), Err: err}
	}
	if paymentText(strings.ToLower(st.Message())) == fault.InsufficientSenderReserve {
		// It is this gateway's money that is missing, and its operator is to hear so.
		return fault.Wrap(fault.InsufficientSenderReserve, op, err)
	}
	return &fault.Fault{Code: fault.OrchestratorDeclined, Op: op, Detail: st.Message(), Err: err}
}

// late reports whether a context's time is over. gRPC looks at the time itself and
// may be ahead of the context's timer.
func late(ctx context.Context) bool {
	at, limited := ctx.Deadline()
	return limited && !time.Now().Before(at)
}

// Found is one orchestrator's part in a discovery.
type Found struct {
	Asked string
	Offer videorouting.Offer
	Info  Info
	// Err is a fault when it cannot be used.
	Err error
}

// Discover asks orchestrators side by side and calls found for each answer and
// failure, from several goroutines; found says whether a usable one is good, that
// is, worth not waiting for others. Discover returns the number of usable ones as
// soon as the patience's rules say so; the others go on being found until its
// hard stop. When none was usable, errs says why for each.
func (c *Client) Discover(ctx context.Context, uris []string, wants *videorouting.Wants, patience videorouting.Patience, found func(Found) (good bool)) (usable int, errs []error) {
	start := time.Now()
	type verdict struct {
		err  error
		good bool
	}
	results := make(chan verdict, len(uris))
	places := make(chan struct{}, maxAsked)
	for _, uri := range uris {
		c.wg.Go(func() {
			places <- struct{}{} // their holders give up after the limit
			defer func() { <-places }()
			// The answer is of use also after this segment went elsewhere.
			askCtx, cancel := context.WithTimeout(c.ctx, patience.Limit())
			defer cancel()
			f := c.ask(askCtx, uri, wants)
			good := found(f)
			results <- verdict{f.Err, good}
		})
	}
	a := videorouting.Answers{Open: len(uris)}
	timer := time.NewTimer(patience.Next(0))
	defer timer.Stop()
	for {
		elapsed := time.Since(start)
		if patience.Done(a, elapsed) {
			return a.Usable, errs
		}
		timer.Reset(patience.Next(elapsed))
		select {
		case v := <-results:
			a.Open--
			if v.err == nil {
				a.Usable++
			} else {
				errs = append(errs, v.err)
			}
			if v.err == nil && v.good {
				a.Good++
			}
		case <-timer.C:
		case <-ctx.Done():
			return a.Usable, append(errs, ctx.Err())
		}
	}
}

// unusable is what is wrong with terms of payment, as a fault of discovery.
func unusable(err error) error {
	_, detail := fault.Public(err)
	return &fault.Fault{Code: fault.OrchestratorUnusable, Op: "judge terms", Detail: detail, Err: err}
}

func (c *Client) ask(ctx context.Context, uri string, wants *videorouting.Wants) Found {
	f := Found{Asked: uri}
	var code fault.Code
	if f.Info, code, f.Err = c.askWithCode(ctx, uri, wants); f.Err != nil {
		return f
	}
	f.Offer = OfferOf(f.Info, c.now())
	if f.Err = wants.Usable(&f.Offer); f.Err == nil {
		if err := c.payments.Usable(f.Info); err != nil {
			f.Err = unusable(err)
		}
	} else if code != "" && fault.CodeOf(f.Err) == fault.OrchestratorUnusable {
		f.Err = unavailable(uri, code, f.Err)
	}
	return f
}

// End tells an orchestrator that a session is over. An orchestrator that does
// not know the session any more is no failure of interest; the error is for the
// debug log.
func (c *Client) End(ctx context.Context, info Info) error {
	client, done, err := c.calls.to(info.GetTranscoder())
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, videorouting.RefreshTimeout)
	defer cancel()
	_, err = client.EndTranscodingSession(ctx, &rpc.EndTranscodingSessionRequest{AuthToken: info.GetAuthToken()})
	if err != nil {
		return callFault(ctx, "end session", err)
	}
	return nil
}

// errLate is the cause of a context that ended because the orchestrator took too
// long, not because the caller gave up.
var errLate = errors.New("the orchestrator took too long")
