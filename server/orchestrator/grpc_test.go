package orchestrator_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/server/rpc"
)

func plaintext() credentials.TransportCredentials { return insecure.NewCredentials() }

// wantError checks a gRPC error: gateways get the text, the code means nothing.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if st := status.Convert(err); st.Code() != codes.Unknown || st.Message() != text {
		t.Errorf("%s %q, want Unknown %q", st.Code(), st.Message(), text)
	}
}

func TestGetOrchestrator(t *testing.T) {
	t.Parallel()
	for name, plain := range map[string]bool{"TLS": false, "plaintext": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t, func(s *setup) { s.plain = plain })
			in := n.offer()
			if in.GetTranscoder() != n.uri {
				t.Errorf("service URI %q, want %q", in.GetTranscoder(), n.uri)
			}
			if string(in.GetAddress()) != strings.Repeat("\x00", 20) {
				t.Errorf("address %x", in.GetAddress())
			}
			if in.GetTicketParams() != nil || in.GetPriceInfo() != nil || in.GetCapabilitiesPrices() != nil {
				t.Error("an offer off-chain has a price")
			}
			c := in.GetCapabilities()
			if c.GetBitstring()[0] != 0x04005fff || c.GetVersion() != "0.9.1" || c.GetConstraints() == nil ||
				len(c.GetCapacities()) == 0 {
				t.Errorf("capabilities %v", c)
			}
			tok := in.GetAuthToken()
			if len(tok.GetToken()) == 0 || len(tok.GetSessionId()) != 24 || tok.GetExpiration() == 0 {
				t.Errorf("token %v", tok)
			}
			if again := n.offer().GetAuthToken(); again.GetSessionId() == tok.GetSessionId() {
				t.Error("two offers have one session")
			}
			// The token opens the session over both versions of HTTP.
			n.transcode(n.h1, tok, []byte("segment"))
			n.transcode(n.h2, tok, []byte("segment"))
		})
	}
}

func TestGetOrchestratorAtTheLimit(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(s *setup) { s.rules.Limit = 1 })
	tok := n.offer().GetAuthToken()
	n.transcode(n.h2, tok, []byte("segment"))
	ask := func() error {
		_, err := n.rpc.GetOrchestrator(context.Background(), &rpc.OrchestratorRequest{})
		return err
	}
	wantError(t, ask(), "Invalid orchestrator request: OrchestratorCapped")

	end := func(tok *rpc.AuthToken) error {
		_, err := n.rpc.EndTranscodingSession(context.Background(), &rpc.EndTranscodingSessionRequest{AuthToken: tok})
		return err
	}
	wantError(t, end(nil), "Invalid auth token")
	wantError(t, end(&rpc.AuthToken{SessionId: tok.GetSessionId(), Expiration: tok.GetExpiration()}), "Invalid auth token")
	wantError(t, ask(), "Invalid orchestrator request: OrchestratorCapped")
	for range 2 { // the second time it is not there any more
		if err := end(tok); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask(); err != nil {
		t.Error(err)
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	pong, err := n.rpc.Ping(context.Background(), &rpc.PingPong{Value: []byte("ping")})
	if err != nil || len(pong.GetValue()) != 0 {
		t.Errorf("%v, %v", pong, err)
	}
}

func TestOversizeGRPCRequest(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	_, err := n.rpc.Ping(context.Background(), &rpc.PingPong{Value: make([]byte, 2<<20)})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("%v", err)
	}
	n.offer()
}
