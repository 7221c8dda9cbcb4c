package livepayer_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/livepayer"
)

func payer(t testing.TB) *livepayer.Payer {
	t.Helper()
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return &livepayer.Payer{
		Account: core.Address(crypto.PubkeyToAddress(key.PublicKey)),
		Sign:    func(m signature.Message) ([]byte, error) { return signature.EthSign(key, m.Bytes()) },
	}
}

// offer is one for a session, whose tickets are worth 100 wei and always win.
func offer() *rpc.OrchestratorInfo {
	p := pm.Params{
		Recipient: core.Address{1}, FaceValue: core.NewWei(100), RecipientRandHash: protocol.Hash{2}, ExpirationBlock: 9,
		WinProb:    protocol.Word(bytes.Repeat([]byte{0xff}, 32)),
		Expiration: pm.Expiration{Round: 1, BlockHash: protocol.Hash{3}},
	}
	return &rpc.OrchestratorInfo{
		Address: bytes.Repeat([]byte{5}, 20), PriceInfo: rpc.ToPriceInfo(pm.Price{PerUnit: 30, PixelsPerUnit: 1}),
		TicketParams: rpc.ToTicketParams(&p), AuthToken: &rpc.AuthToken{SessionId: "m", Token: []byte{1}, Expiration: 1},
	}
}

func encoded(t testing.TB, m proto.Message) string {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// What tickets are worth beyond the units that they paid for pays for the next ones.
func TestCreditIsCarried(t *testing.T) {
	t.Parallel()
	s, err := payer(t).Open(encoded(t, offer()), "m")
	if err != nil {
		t.Fatal(err)
	}
	next := uint32(1)
	for i, c := range []struct {
		units int64
		want  int
	}{{10, 3}, {3, 1}, {0, 0}, {1, 1}, {2, 0}, {300, 90}} {
		h, err := s.Pay(c.units)
		if err != nil {
			t.Fatal(err)
		}
		p, err := rpc.DecodePayment(h.Get(rpc.PaymentHeader))
		if err != nil || len(p.GetTicketSenderParams()) != c.want {
			t.Errorf("payment %d: %d tickets, want %d (%v)", i, len(p.GetTicketSenderParams()), c.want, err)
		}
		for _, ticket := range p.GetTicketSenderParams() {
			if ticket.GetSenderNonce() != next {
				t.Errorf("payment %d: nonce %d, want %d", i, ticket.GetSenderNonce(), next)
			}
			next++
		}
	}
	if _, err := s.Pay(400); !errors.Is(err, livepayer.ErrTickets) {
		t.Error(err)
	}
	if got := s.Paid().String(); got != "9500" {
		t.Errorf("paid %s", got)
	}
}

// An orchestrator cannot change the session, the payee or the price of what is paid.
func TestOffersThatChange(t *testing.T) {
	t.Parallel()
	s, err := payer(t).Open(encoded(t, offer()), "m")
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[error]func(*rpc.OrchestratorInfo){
		livepayer.ErrPrice:   func(m *rpc.OrchestratorInfo) { m.PriceInfo.PricePerUnit = 31 },
		livepayer.ErrPayee:   func(m *rpc.OrchestratorInfo) { m.Address[0]++ },
		livepayer.ErrSession: func(m *rpc.OrchestratorInfo) { m.AuthToken.SessionId = "n" },
		livepayer.ErrOffer:   func(m *rpc.OrchestratorInfo) { m.TicketParams.FaceValue = nil },
	} {
		m := offer()
		change(m)
		if err := s.Refresh(encoded(t, m)); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	body, err := proto.Marshal(&rpc.PaymentResult{Info: offer()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Answered(body); err != nil {
		t.Error(err)
	}
}

func FuzzOffers(f *testing.F) {
	f.Add([]byte(nil), int64(1))
	data, err := proto.Marshal(offer())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, int64(10))
	p := payer(f)
	f.Fuzz(func(t *testing.T, data []byte, units int64) {
		s, err := p.Open(base64.StdEncoding.EncodeToString(data), "m")
		if err != nil {
			return
		}
		if _, err := s.Pay(max(0, units)); err == nil && s.Paid().Cmp(s.Price().Of(max(0, units))) < 0 {
			t.Errorf("%d units at %s were paid with %s", units, s.Price(), s.Paid())
		}
		_ = s.Answered(data)
	})
}
