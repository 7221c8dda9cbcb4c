package money

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pipelines"
)

// payer is a gateway of the attacker: an account with a deposit and a reserve that
// speaks the wire formats and keeps to no other rule.
type payer struct {
	// paid is the offer, with the session, of the last call of served.
	paid *rpc.OrchestratorInfo
	*world
	key     *ecdsa.PrivateKey
	address common.Address
	nonce   uint32
	client  *http.Client
}

// newPayer funds an account of the chain with 1 ETH of deposit and 2 of reserve.
func (w *world) newPayer(number uint64) *payer {
	w.Helper()
	return w.newPayerWith(number, ether(1), ether(2))
}

// newPayerWith funds an account of the chain with a deposit and a reserve, in wei.
func (w *world) newPayerWith(number uint64, deposit, reserve *big.Int) *payer {
	w.Helper()
	key := w.chain.Key(number)
	p := &payer{world: w, key: key, address: crypto.PubkeyToAddress(key.PublicKey), client: harness.Client()}
	client, err := ethclient.DialContext(w.Context(), w.chain.URL(0))
	w.must(err)
	defer client.Close()
	data := crypto.Keccak256([]byte("fundDepositAndReserve(uint256,uint256)"))[:4]
	data = append(data, common.LeftPadBytes(deposit.Bytes(), 32)...)
	data = append(data, common.LeftPadBytes(reserve.Bytes(), 32)...)
	to := w.chain.Info.Contracts["TicketBroker"]
	nonce, err := client.PendingNonceAt(w.Context(), p.address)
	w.must(err)
	id := new(big.Int).SetUint64(w.chain.Info.ChainID)
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, Gas: 1_000_000, GasFeeCap: big.NewInt(1_000_000_000), GasTipCap: new(big.Int),
		To: &to, Value: new(big.Int).Add(deposit, reserve), Data: data,
	})
	w.must(err)
	w.must(client.SendTransaction(w.Context(), tx))
	w.Wait("the deposit", 30*time.Second, func() bool {
		r, err := client.TransactionReceipt(w.Context(), tx.Hash())
		return err == nil && r.Status == types.ReceiptStatusSuccessful
	})
	return p
}

// sign signs the hash of bytes as gateways do.
func (p *payer) sign(message []byte) []byte {
	p.Helper()
	digest := crypto.Keccak256([]byte("\x19Ethereum Signed Message:\n32"), crypto.Keccak256(message))
	sig, err := crypto.Sign(digest, p.key)
	p.must(err)
	sig[64] += 27
	return sig
}

// wants are the capabilities of a request for a pipeline's model.
func wants(id capability.ID) *rpc.Capabilities {
	c := &rpc.Capabilities{
		Bitstring: []uint64{0x04005fff | 1<<id}, Capacities: map[uint32]uint32{}, Version: "0.8.8",
		Constraints: &rpc.Capabilities_Constraints{PerCapability: map[uint32]*rpc.Capabilities_CapabilityConstraints{
			uint32(id): {Models: map[string]*rpc.Capabilities_CapabilityConstraints_ModelConstraint{
				pipelines.Model(id.Pipeline()): {}}},
		}},
	}
	for i := range uint32(64) {
		if c.Bitstring[0]>>i&1 == 1 {
			c.Capacities[i] = 1
		}
	}
	return c
}

// offer asks for a price and ticket parameters until there are some.
func (p *payer) offer(caps *rpc.Capabilities) *rpc.OrchestratorInfo {
	p.Helper()
	var info *rpc.OrchestratorInfo
	var err error
	defer func() {
		if err != nil {
			p.T.Log("the last answer was: " + err.Error())
		}
	}()
	p.Wait("an offer", 30*time.Second, func() bool {
		info, err = p.offerNow(caps)
		return err == nil && len(info.GetTicketParams().GetFaceValue()) > 0
	})
	return info
}

// offerNow asks once.
func (p *payer) offerNow(caps *rpc.Capabilities) (*rpc.OrchestratorInfo, error) {
	p.Helper()
	conn, err := grpc.NewClient(p.front,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	p.must(err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(p.Context(), 5*time.Second)
	defer cancel()
	return rpc.NewOrchestratorClient(conn).GetOrchestrator(ctx, &rpc.OrchestratorRequest{
		Address: p.address[:], Sig: p.sign([]byte(p.address.Hex())), Capabilities: caps,
	})
}

// payment is tickets with the nonces from first on, signed for the parameters of an
// offer.
func (p *payer) payment(info *rpc.OrchestratorInfo, first uint32, n int) *rpc.Payment {
	p.Helper()
	terms := info.GetTicketParams()
	m := &rpc.Payment{Sender: p.address[:], ExpectedPrice: info.GetPriceInfo(),
		ExpirationParams: terms.GetExpirationParams()}
	if n > 0 {
		m.TicketParams = terms
	}
	for nonce := first; nonce < first+uint32(n); nonce++ {
		e := terms.GetExpirationParams()
		hash := bytes.Join([][]byte{
			terms.GetRecipient(), p.address[:],
			common.LeftPadBytes(terms.GetFaceValue(), 32), common.LeftPadBytes(terms.GetWinProb(), 32),
			common.LeftPadBytes(big.NewInt(int64(nonce)).Bytes(), 32), terms.GetRecipientRandHash(),
			common.LeftPadBytes(big.NewInt(e.GetCreationRound()).Bytes(), 32), e.GetCreationRoundBlockHash(),
		}, nil)
		m.TicketSenderParams = append(m.TicketSenderParams,
			&rpc.TicketSenderParams{SenderNonce: nonce, Sig: p.sign(hash)})
	}
	return m
}

// pay is a payment of n tickets that were not sent before.
func (p *payer) pay(info *rpc.OrchestratorInfo, n int) *rpc.Payment {
	p.Helper()
	m := p.payment(info, p.nonce+1, n)
	p.nonce += uint32(n)
	return m
}

// tickets is how many tickets of an offer are worth an amount of wei, at least one.
func tickets(info *rpc.OrchestratorInfo, wei int64) int {
	terms := info.GetTicketParams()
	ev := new(big.Int).Mul(new(big.Int).SetBytes(terms.GetFaceValue()), new(big.Int).SetBytes(terms.GetWinProb()))
	ev.Rsh(ev, 256)
	n := new(big.Int).Div(big.NewInt(wei), ev)
	return int(n.Int64()) + 1
}

// job sends an AI job with a payment. It returns the status and the answer.
func (p *payer) job(id capability.ID, info *rpc.OrchestratorInfo, payment *rpc.Payment, contentType string,
	body []byte) (int, string) {
	p.Helper()
	manifest := fmt.Appendf(nil, "%d_%s", id, pipelines.Model(id.Pipeline()))
	hash := crypto.Keccak256(nil)
	segment := &rpc.SegData{
		ManifestId: manifest, Hash: hash, Profiles: []byte("invalid"), Capabilities: wants(id),
		AuthToken: info.GetAuthToken(),
		Sig:       p.sign(bytes.Join([][]byte{manifest, make([]byte, 32), hash}, nil)),
	}
	req, err := http.NewRequestWithContext(p.Context(), http.MethodPost, "https://"+p.front+"/"+id.Pipeline(),
		bytes.NewReader(body))
	p.must(err)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Livepeer-AI-Worker-1.0")
	req.Header.Set("Livepeer-Payment", p.header(payment))
	req.Header.Set("Livepeer-Segment", p.header(segment))
	return p.do(req)
}

func (p *payer) header(m proto.Message) string {
	p.Helper()
	b, err := proto.Marshal(m)
	p.must(err)
	return base64.StdEncoding.EncodeToString(b)
}

func (p *payer) do(req *http.Request) (int, string) {
	p.Helper()
	resp, err := p.client.Do(req)
	p.must(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	p.must(err)
	return resp.StatusCode, strings.TrimSpace(string(answer))
}

// ask sends a prompt.
func (p *payer) ask(info *rpc.OrchestratorInfo, payment *rpc.Payment, prompt string, maxTokens int) (int, string) {
	p.Helper()
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}],"max_tokens":%d}`,
		pipelines.Model("llm"), prompt, maxTokens)
	return p.job(capability.LLM, info, payment, "application/json", []byte(body))
}

// served has a prompt answered for a payment of n tickets. It tries until the node has
// seen the new round.
func (p *payer) served(n int) {
	p.Helper()
	p.Wait("a paid answer", 30*time.Second, func() bool {
		info := p.offer(wants(capability.LLM))
		status, _ := p.ask(info, p.pay(info, n), "Count.", 3)
		p.paid = info
		return status == http.StatusOK
	})
}

// transcribe sends a sound file.
func (p *payer) transcribe(info *rpc.OrchestratorInfo, payment *rpc.Payment, sound []byte) (int, string) {
	p.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	p.must(form.WriteField("model_id", pipelines.Model("audio-to-text")))
	part, err := form.CreateFormFile("audio", "sound")
	p.must(err)
	_, err = part.Write(sound)
	p.must(err)
	p.must(form.Close())
	return p.job(capability.AudioToText, info, payment, form.FormDataContentType(), b.Bytes())
}
