package byoc

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/livepayer"
)

// Client is a gateway.
type Client struct {
	T testing.TB
	// URI is the orchestrator's.
	URI  string
	HTTP *http.Client
	// Key signs and pays.
	Key *ecdsa.PrivateKey
}

// Job is the header of a request.
type Job struct {
	ID         string `json:"id"`
	Request    string `json:"request"`
	Parameters string `json:"parameters"`
	Capability string `json:"capability"`
	Sender     string `json:"sender"`
	Sig        string `json:"sig"`
	Timeout    int    `json:"timeout_seconds"`
}

// Token is what an orchestrator says of a capability.
type Token struct {
	Params    *rpc.TicketParams `json:"ticket_params"`
	Balance   int64             `json:"balance"`
	Price     *rpc.PriceInfo    `json:"price"`
	Service   string            `json:"service_addr"`
	Available int               `json:"available_capacity"`
}

// Answer is what a request was answered with.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Account is the client's.
func (c *Client) Account() core.Address { return core.Address(crypto.PubkeyToAddress(c.Key.PublicKey)) }

func (c *Client) sign(text string) string {
	sig, err := signature.NodeSign(c.Key, []byte(text))
	if err != nil {
		c.T.Fatal(err)
	}
	return "0x" + hex.EncodeToString(sig)
}

// Header is a job as it is sent, signed if it has no signature.
func (c *Client) Header(j Job) string {
	if j.Sender == "" {
		j.Sender = c.Account().String()
	}
	if j.Sig == "" {
		j.Sig = c.sign(j.Request + j.Parameters)
	}
	return encoded(c.T, j)
}

func encoded(t testing.TB, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// Send sends a request with pairs of headers.
func (c *Client) Send(method, path, body string, headers ...string) Answer {
	c.T.Helper()
	res := c.Begin(method, path, body, headers...)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	return Answer{res.StatusCode, res.Header, string(data)}
}

// Begin sends a request and returns the answer when it begins.
func (c *Client) Begin(method, path, body string, headers ...string) *http.Response {
	c.T.Helper()
	r, err := http.NewRequestWithContext(c.T.Context(), method, c.URI+path, strings.NewReader(body))
	if err != nil {
		c.T.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.HTTP.Do(r)
	if err != nil {
		c.T.Fatal(err)
	}
	return res
}

// Register registers a capability with a secret.
func (c *Client) Register(secret, name, url string, capacity int, price int64) Answer {
	c.T.Helper()
	data, err := json.Marshal(map[string]any{
		"name": name, "url": url, "capacity": capacity, "price_per_unit": price, "price_scaling": 1, "currency": "wei",
		"token": "wtok",
	})
	if err != nil {
		c.T.Fatal(err)
	}
	return c.Send("POST", "/capability/register", string(data), "Authorization", secret)
}

// Token asks for a capability's.
func (c *Client) Token(capability string) (Token, Answer) {
	c.T.Helper()
	account := c.Account().String()
	a := c.Send("GET", "/process/token", "", "Livepeer-Capability", capability, "Livepeer-Eth-Address",
		encoded(c.T, map[string]string{"addr": account, "sig": c.sign(account)}))
	var t Token
	if a.Status == http.StatusOK {
		if err := json.NewDecoder(bytes.NewBufferString(a.Body)).Decode(&t); err != nil {
			c.T.Fatal(a.Body, err)
		}
	}
	return t, a
}

// Payment is a header that pays for seconds at a token's price, and what its tickets are worth is at least that.
func (c *Client) Payment(t Token, seconds int64) string {
	c.T.Helper()
	info, err := proto.Marshal(&rpc.OrchestratorInfo{
		Address: t.Params.GetRecipient(), TicketParams: t.Params, PriceInfo: t.Price,
		AuthToken: &rpc.AuthToken{SessionId: "byoc"},
	})
	if err != nil {
		c.T.Fatal(err)
	}
	payer := livepayer.Payer{Account: c.Account(), Sign: func(m signature.Message) ([]byte, error) {
		return signature.EthSign(c.Key, m.Bytes())
	}}
	s, err := payer.Open(base64.StdEncoding.EncodeToString(info), "byoc")
	if err != nil {
		c.T.Fatal(err)
	}
	h, err := s.Pay(seconds)
	if err != nil {
		c.T.Fatal(err)
	}
	return h.Get(rpc.PaymentHeader)
}

// Paid is Payment with a new token.
func (c *Client) Paid(capability string, seconds int64) string {
	c.T.Helper()
	t, a := c.Token(capability)
	if a.Status != http.StatusOK {
		c.T.Fatal(a)
	}
	return c.Payment(t, seconds)
}
