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

// noTokenExpiry is the lifetime of a token without an expiry that tells something.
const noTokenExpiry = 30 * time.Minute

// maxAsked bounds the orchestrators that one discovery asks at once. Those that do not answer hold
// a slot until the connection times out.
const maxAsked = 256

// OfferOf extracts from an orchestrator's terms what the rules need.
func OfferOf(info Info, now time.Time) videorouting.Offer {
	o := videorouting.Offer{URI: info.GetTranscoder(), Token: info.GetAuthToken() != nil}
	if a := info.GetAddress(); len(a) == len(o.Address) {
		o.Address = core.Address(a)
	}
	o.Price = priceOf(info)
	o.Session = core.SessionID(info.GetAuthToken().GetSessionId())
	o.Expires = now.Add(noTokenExpiry)
	// A token that comes expired says that the clocks differ. Its orchestrator knows when it ends:
	// renewed for each segment, it would be as old, and each would begin a new session.
	if at := time.Unix(info.GetAuthToken().GetExpiration(), 0); at.After(now) {
		o.Expires = at
	}
	if c := info.GetCapabilities(); c != nil {
		caps := c.Capability()
		o.Capabilities = &caps
	}
	return o
}

// Ask gets an orchestrator's terms for a job. Errors are faults: OrchestratorCapped when it is
// full, else OrchestratorUnreachable, OrchestratorSilent, OrchestratorDeclined, or Canceled when
// ctx was canceled.
func (c *Client) Ask(ctx context.Context, uri string, wants *videorouting.Wants) (Info, error) {
	info, _, err := c.askWithCode(ctx, uri, wants)
	return info, err
}

// askWithCode is Ask, and returns the code with which a tutti node reports that it has
// the model and does not offer it.
func (c *Client) askWithCode(ctx context.Context, uri string, wants *videorouting.Wants) (Info, fault.Code, error) {
	const op = "ask orchestrator"
	client, done, err := c.conns.client(uri)
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

// callFault classifies a failed call. Peers may answer with the statuses by which gRPC reports that
// our own context ended; only the context itself is conclusive.
func callFault(ctx context.Context, op string, err error) error {
	st := status.Convert(err)
	switch {
	case st.Code() == codes.Unavailable:
		return fault.Wrap(fault.OrchestratorUnreachable, op, err)
	case st.Code() == codes.DeadlineExceeded && deadlinePassed(ctx):
		return fault.Wrap(fault.OrchestratorSilent, op, err)
	case st.Code() == codes.Canceled && errors.Is(ctx.Err(), context.Canceled):
		return fault.Wrap(fault.Canceled, op, err)
	}
	if isCapped(st.Message()) {
		return &fault.Fault{Code: fault.OrchestratorCapped, Op: op, Detail: st.Message(), Err: err}
	}
	if paymentText(strings.ToLower(st.Message())) == fault.InsufficientSenderReserve {
		// This gateway's money is missing, which its operator must see.
		return fault.Wrap(fault.InsufficientSenderReserve, op, err)
	}
	return &fault.Fault{Code: fault.OrchestratorDeclined, Op: op, Detail: st.Message(), Err: err}
}

// deadlinePassed reports whether a context's deadline has passed. gRPC checks the clock itself and
// may be ahead of the context's timer.
func deadlinePassed(ctx context.Context) bool {
	at, limited := ctx.Deadline()
	return limited && !time.Now().Before(at)
}

// Found is the result of asking one orchestrator.
type Found struct {
	Asked string
	Offer videorouting.Offer
	Info  Info
	// Err is a fault when it cannot be used.
	Err error
}

// Discover asks orchestrators in parallel and calls found for each answer and failure, from several
// goroutines; found reports whether a usable one is good enough not to wait for others. Discover
// returns the number of usable ones as soon as wait's rules permit; found is called for further
// answers until wait's hard stop. When none was usable, errs has the reason of each.
func (c *Client) Discover(ctx context.Context, uris []string, wants *videorouting.Wants,
	wait videorouting.DiscoveryWait, found func(Found) (good bool)) (usable int, errs []error) {
	start := time.Now()
	report := c.report()
	defer report.send()
	type outcome struct {
		err  error
		good bool
	}
	results := make(chan outcome, len(uris))
	slots := make(chan struct{}, maxAsked)
	for _, uri := range uris {
		c.wg.Go(func() {
			slots <- struct{}{} // each call ends within the limit
			defer func() { <-slots }()
			// The answer is useful also after this segment went elsewhere.
			askCtx, cancel := context.WithTimeout(c.ctx, wait.Limit())
			defer cancel()
			f := c.ask(askCtx, uri, wants)
			good := found(f)
			report.add(&f, time.Since(start))
			results <- outcome{f.Err, good}
		})
	}
	a := videorouting.Answers{Open: len(uris)}
	timer := time.NewTimer(wait.Next(0))
	defer timer.Stop()
	for {
		elapsed := time.Since(start)
		if wait.Done(a, elapsed) {
			return a.Usable, errs
		}
		timer.Reset(wait.Next(elapsed))
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

// unusable converts a fault of payment terms to a fault of discovery.
func unusable(err error) error {
	_, detail := fault.Public(err)
	return &fault.Fault{Code: fault.OrchestratorUnusable, Op: "check terms", Detail: detail, Err: err}
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

// End ends a session at an orchestrator. An orchestrator that does not know the session any more is
// no problem; the error is for the debug log.
func (c *Client) End(ctx context.Context, info Info) error {
	client, done, err := c.conns.client(info.GetTranscoder())
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
