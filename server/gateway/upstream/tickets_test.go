package upstream_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mattn/go-sqlite3"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// chain has enough money for everything.
type chain struct{ l1 protocol.L1Block }

func (c chain) View() protocol.View {
	return protocol.View{Known: true, Head: protocol.Head{L1: c.l1}}
}

func (chain) SenderFunds(context.Context, core.Address) (protocol.SenderFunds, error) {
	ether, _ := core.ParseWei("1e30")
	return protocol.SenderFunds{Sender: protocol.Sender{Deposit: ether,
		Reserve: protocol.Reserve{FundsRemaining: ether}}}, nil
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tickets are payments of the vectors' gateway, with a book on disk.
func tickets(t testing.TB, change func(*upstream.TicketOptions)) *upstream.TicketPayments {
	t.Helper()
	return ticketsAt(t, 0, change)
}

// ticketsAt are tickets at a height of layer 1.
func ticketsAt(t testing.TB, l1 protocol.L1Block, change func(*upstream.TicketOptions)) *upstream.TicketPayments {
	t.Helper()
	return ticketsBy(t, l1, nil, change)
}

// ticketsBy are ticketsAt by a clock.
func ticketsBy(t testing.TB, l1 protocol.L1Block, now func() time.Time,
	change func(*upstream.TicketOptions)) *upstream.TicketPayments {
	t.Helper()
	key, err := crypto.HexToECDSA(strings.Repeat("01", 32))
	if err != nil {
		t.Fatal(err)
	}
	account := core.Address(crypto.PubkeyToAddress(key.PublicKey))
	d := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	db, err := d.Open(t.Context(), t.TempDir(), func(context.Context, *sql.DB) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	book, issued, err := paymentlog.Open(t.Context(), paymentlog.Options{DB: db, Sender: account})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- book.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, book.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	ether, _ := core.ParseWei("1e30")
	sign := func(m signature.Message) ([]byte, error) { return signature.EthSign(key, m.Bytes()) }
	opt := upstream.TicketOptions{Sign: sign, Sender: sender.New(sender.Options{
		Account: account, Sign: sign, Chain: chain{l1}, Book: book, Issued: issued, Now: now,
		Limits: pm.Limits{MaxEV: ether, MaxTotalEV: ether},
	})}
	if change != nil {
		change(&opt)
	}
	return upstream.NewTicketPayments(opt)
}

func TestIdentityIsSignedOnce(t *testing.T) {
	t.Parallel()
	var signed atomic.Int32
	p := tickets(t, func(o *upstream.TicketOptions) {
		sign := o.Sign
		o.Sign = func(m signature.Message) ([]byte, error) {
			if signed.Add(1) == 1 {
				return nil, errors.New("locked")
			}
			return sign(m)
		}
	})
	if _, _, err := p.Identity(t.Context()); !errors.Is(err, fault.PaymentUnsigned) {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			address, sig, err := p.Identity(t.Context())
			if err != nil || hex.EncodeToString(address) != "1a642f0e3c3af545e7acbd38b07251b3990914f1" ||
				hex.EncodeToString(sig) != "f43599799a5e0e37c926e84208112385030179cba9b7fbe2557586152298362"+
					"43295b04081924e7fa6a4236cca49532205a0eb896adaf9e5127ca861627104321c" {
				t.Errorf("%x %x %v", address, sig, err)
			}
		})
	}
	wg.Wait()
	if signed.Load() != 2 {
		t.Errorf("signed %d times", signed.Load())
	}
}

func TestPaymentVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Tickets []struct {
			Name   string
			Params string `json:"orchestrator_info_ticket_params_proto_hex"`
			Proto  string `json:"payment_proto_hex"`
			Header string `json:"livepeer_payment_header"`
			Price  string
			Nonce  uint32 `json:"sender_nonce"`
		}
	}
	raw, err := os.ReadFile("../../../test/vectors/tickets.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Tickets) < 5 {
		t.Fatal(err)
	}
	for _, row := range file.Tickets {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			params := new(rpc.TicketParams)
			if err := proto.Unmarshal(unhex(t, row.Params), params); err != nil {
				t.Fatal(err)
			}
			price, _ := new(big.Rat).SetString(row.Price)
			info := &rpc.OrchestratorInfo{
				Transcoder: "https://o", Node: "tutti/1", TicketParams: params,
				PriceInfo: &rpc.PriceInfo{PricePerUnit: price.Num().Int64(), PixelsPerUnit: price.Denom().Int64()},
			}
			read, err := rpc.FromTicketParams(params)
			if err != nil {
				t.Fatal(err)
			}
			d, err := ticketsAt(t, max(read.ExpirationBlock, 40)-40, nil).PaymentTerms(info, upstream.Work{})
			if err != nil {
				t.Fatal(err)
			}
			var header string
			for range row.Nonce {
				paid, err := d.Pay(t.Context(), "", 0)
				if err != nil {
					t.Fatal(err)
				}
				header = paid.Header()
			}
			if header != row.Header {
				t.Errorf("%s, want %s", header, row.Header)
			}
			if got, _ := base64.StdEncoding.DecodeString(header); hex.EncodeToString(got) != strings.TrimPrefix(row.Proto,
				"0x") {
				t.Errorf("%x", got)
			}
		})
	}
}

func TestFreeWorkIsPaidWithAName(t *testing.T) {
	t.Parallel()
	d, err := tickets(t, nil).PaymentTerms(&rpc.OrchestratorInfo{PriceInfo: &rpc.PriceInfo{PixelsPerUnit: 1}},
		upstream.Work{})
	if err != nil {
		t.Fatal(err)
	}
	paid, err := d.Pay(t.Context(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	m, err := rpc.DecodePayment(paid.Header())
	if err != nil || m.GetTicketParams() != nil || m.GetExpirationParams() != nil || len(m.GetSender()) != 20 ||
		m.GetExpectedPrice().GetPixelsPerUnit() != 1 {
		t.Errorf("%v %v", m, err)
	}
}

// caps are the most that is paid.
type caps struct{ pixel, model *big.Rat }

func (c caps) MaxTranscoding() *big.Rat          { return c.pixel }
func (c caps) MaxModel(inference.Model) *big.Rat { return c.model }

var speech = inference.Model{Capability: capability.TextToSpeech, ID: model.ID}

// priced are terms at a price, with parameters that tickets can be made with.
func priced(wei, units int64) *rpc.OrchestratorInfo {
	face := core.NewWei(3000)
	return &rpc.OrchestratorInfo{
		Transcoder: "https://o", PriceInfo: &rpc.PriceInfo{PricePerUnit: wei, PixelsPerUnit: units},
		AuthToken: &rpc.AuthToken{SessionId: "s"},
		TicketParams: rpc.ToTicketParams(&pm.Params{
			Recipient: core.Address{2}, FaceValue: face, WinProb: pm.WinProb(face, core.NewWei(30)),
			RecipientRandHash: protocol.Hash{1}, ExpirationBlock: 40,
			Expiration: pm.Expiration{Round: 1, BlockHash: protocol.Hash{3}},
		}),
	}
}

func TestCapsAreHeldTo(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		caps      caps
		expensive bool
		model     *inference.Model
		want      fault.Code
	}{
		"none":                  {caps{}, false, nil, ""},
		"just":                  {caps{pixel: big.NewRat(3, 2)}, false, nil, ""},
		"too expensive":         {caps{pixel: big.NewRat(149, 100)}, false, nil, fault.PriceTooHigh},
		"all the same":          {caps{pixel: big.NewRat(1, 100)}, true, nil, ""},
		"the other's":           {caps{model: big.NewRat(1, 100)}, false, nil, ""},
		"a model too expensive": {caps{model: big.NewRat(1, 100)}, false, &model, fault.PriceTooHigh},
		// A character costs a thousand times the price there.
		"speech":               {caps{model: big.NewRat(1500, 1)}, false, &speech, ""},
		"speech too expensive": {caps{model: big.NewRat(1499, 1)}, false, &speech, fault.PriceTooHigh},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := tickets(t, func(o *upstream.TicketOptions) {
				o.Caps, o.AllowExpensive = row.caps,
					row.expensive
			}).PaymentTerms(priced(3, 2), upstream.Work{Model: row.model})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = d.Pay(t.Context(), "", 10); row.want == "" && err != nil || row.want != "" && !errors.Is(err, row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

// TestAnothersAccountAsRecipient: an orchestrator that names another one's account as its recipient makes
// no first price for the other one, neither of a model nor of a stream.
func TestAnothersAccountAsRecipient(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]upstream.Work{"model": {Model: &model}, "stream": {Stream: "film"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := tickets(t, nil)
			pay := func(payee string, price int64) error {
				info := priced(price, 1)
				work := work
				work.Payee = payee
				d, err := p.PaymentTerms(info, work)
				if err == nil {
					_, err = d.Pay(t.Context(), "", 10)
				}
				return err
			}
			if err := errors.Join(pay("poser", 1), pay("owner", 100)); err != nil {
				t.Error(err)
			}
			if err := pay("owner", 201); !errors.Is(err, fault.PriceRaised) {
				t.Error(err)
			}
		})
	}
}

func TestUnusableTerms(t *testing.T) {
	t.Parallel()
	p := tickets(t, nil)
	if err := p.Usable(priced(3, 2)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*rpc.OrchestratorInfo){
		"no price":       func(i *rpc.OrchestratorInfo) { i.PriceInfo = nil },
		"for no pixels":  func(i *rpc.OrchestratorInfo) { i.PriceInfo.PixelsPerUnit = 0 },
		"negative":       func(i *rpc.OrchestratorInfo) { i.PriceInfo.PricePerUnit = -1 },
		"no params":      func(i *rpc.OrchestratorInfo) { i.TicketParams = nil },
		"no expiration":  func(i *rpc.OrchestratorInfo) { i.TicketParams.ExpirationBlock = nil },
		"no recipient":   func(i *rpc.OrchestratorInfo) { i.TicketParams.Recipient = nil },
		"no hash":        func(i *rpc.OrchestratorInfo) { i.TicketParams.RecipientRandHash = nil },
		"a short hash":   func(i *rpc.OrchestratorInfo) { i.TicketParams.RecipientRandHash = []byte{1} },
		"a negative age": func(i *rpc.OrchestratorInfo) { i.TicketParams.ExpirationParams.CreationRound = -1 },
	} {
		info := priced(3, 2)
		change(info)
		if err := p.Usable(info); err == nil {
			t.Error(name)
		}
	}
}

// Whatever an orchestrator sends, a gateway makes of it a payment that reads back,
// or none, and never more than it allows.
func FuzzTermsOfPayment(f *testing.F) {
	for _, i := range []*rpc.OrchestratorInfo{priced(3, 2), priced(0, 1), priced(1<<62, 1), {}} {
		raw, err := proto.Marshal(i)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	p := tickets(f, nil)
	f.Fuzz(func(t *testing.T, raw []byte) {
		info := new(rpc.OrchestratorInfo)
		if proto.Unmarshal(raw, info) != nil {
			return
		}
		usable := p.Usable(info) == nil
		d, err := p.PaymentTerms(info, upstream.Work{Model: &model})
		if usable != (err == nil) {
			t.Fatalf("usable: %v, %v", usable, err)
		}
		if err != nil {
			return
		}
		d.Wear()
		paid, err := d.Pay(context.Background(), "", 10)
		if err != nil {
			return
		}
		defer paid.Settle(sender.Unsent, 0)
		m, err := rpc.DecodePayment(paid.Header())
		if err != nil {
			t.Fatal(err)
		}
		read, err := rpc.FromPayment(m)
		if err != nil || read.Expected == nil || len(read.Tickets) > 600 || len(read.Tickets) > 0 && !read.HasExpiration {
			t.Fatalf("%+v %v", read, err)
		}
	})
}
