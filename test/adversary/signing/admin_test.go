package signing

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/test/harness"
)

// ask sends a request to the admin API, with the node's own token.
func (v *victim) ask(method, path, kind string, header http.Header, body []byte) (int, []byte) {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), method, "http://"+v.admin+path, bytes.NewReader(body))
	v.must(err)
	secret, err := token(v.dir)
	v.must(err)
	r.Header = http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {kind}}
	for name, values := range header {
		r.Header[name] = values
	}
	resp, err := harness.Client().Do(r)
	v.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	v.must(err)
	return resp.StatusCode, text
}

// oldSign is the existing tool's way to a signature, newSign ours.
func (v *victim) oldSign(message []byte, typed bool) (int, []byte) {
	header := http.Header{}
	if typed {
		header["Sigformat"] = []string{"data/typed"}
	}
	return v.ask("POST", "/signMessage", "application/x-www-form-urlencoded", header,
		[]byte(url.Values{"message": {string(message)}}.Encode()))
}

func (v *victim) newSign(message []byte, typed bool) (int, []byte) {
	v.Helper()
	in := map[string]any{"message": string(message)}
	if typed {
		in = map[string]any{"typedData": json.RawMessage(message)}
	}
	body, err := json.Marshal(in)
	v.must(err)
	return v.ask("POST", "/api/v1/sign", "application/json", nil, body)
}

// permit is an EIP-712 document that lets the thief take all LPT of the account.
func permit(v *victim, primary, fields, message string) []byte {
	return fmt.Appendf(nil, `{"types":{
		"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId",`+
		`"type":"uint256"},{"name":"verifyingContract","type":"address"}],
		%q:%s},"primaryType":%q,
		"domain":{"name":"Livepeer Token","version":"1","chainId":"%d","verifyingContract":%q},"message":%s}`,
		primary, fields, primary, v.chain.Info.ChainID, v.chain.Info.Contracts["LivepeerToken"].Hex(), message)
}

// An attacker that gets an operator, or a tool of the operator's, to sign something by the
// admin API gets no ticket, nothing else that the key signs for other purposes, and no
// approval. Texts and votes are signed as before.
func TestAdminSignsNothingOfValue(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	ticket := v.ticket(1)
	status, sig := v.oldSign(keccakOf(preimage(ticket)), false)
	if v.steal(ticket, sig) {
		t.Errorf("the thief was paid; the account has %v left of 3 ETH", v.locked())
	}
	if status != http.StatusForbidden || !strings.Contains(string(sig), "MessageRefused") {
		t.Errorf("a ticket's hash: %d %q", status, sig)
	}
	v.refusesTexts(ticket.Sender.String(), preimage(ticket))
	v.refusesDocuments()
	for _, text := range []string{"hello", "two\nlines", "I own 0x0000000000000000000000000000000000000001",
		strings.Repeat("x", 31), "Grüße"} {
		status, sig := v.oldSign([]byte(text), false)
		if status != http.StatusOK || !v.signedBy([]byte(text), sig) {
			t.Errorf("%q: %d %x", text, status, sig)
		}
		if status, answer := v.newSign([]byte(text), false); status != http.StatusOK ||
			!bytes.Contains(answer, []byte(hex.EncodeToString(sig))) {
			t.Errorf("%q: %d %s", text, status, answer)
		}
	}
	vote := `{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"}],
		"Vote":[{"name":"from","type":"address"},{"name":"space","type":"string"},{"name":"proposal","type":"bytes32"},` +
		`{"name":"choice","type":"uint32"}]},
		"primaryType":"Vote","domain":{"name":"snapshot","version":"0.1.4"},
		"message":{"from":"` + v.account().String() +
		`","space":"livepeer.eth","proposal":"0x` + strings.Repeat("ab", 32) + `","choice":1}}`
	if status, sig := v.oldSign([]byte(vote), true); status != http.StatusOK || len(sig) != signature.Length {
		t.Errorf("a vote: %d %s", status, sig)
	}
}

func (v *victim) refusesTexts(address string, ticket []byte) {
	v.Helper()
	data := signature.Keccak256([]byte("data"))
	approve := append(append(common.FromHex("0x095ea7b3"), make([]byte, 12)...), make([]byte, 52)...)
	for name, text := range map[string][]byte{
		"32 letters":            bytes.Repeat([]byte("a"), 32),
		"ticket":                ticket,
		"ticket without round":  ticket[:168],
		"ticket in hex":         []byte(hex.EncodeToString(ticket)),
		"ticket's hash in hex":  []byte("0x" + hex.EncodeToString(keccakOf(ticket))),
		"request":               []byte(address),
		"request, no 0x":        []byte(address[2:]),
		"segment":               signature.Segment("stream", 1, data, []string{"P240p30fps16x9"}),
		"segment in hex":        []byte("0x" + hex.EncodeToString(signature.Segment("s", 1, data, nil))),
		"approval":              approve,
		"approval in hex":       []byte("0x" + hex.EncodeToString(approve)),
		"remote signer's state": []byte(`{"StateID":"00000000"}`),
		"transaction in hex":    []byte("0x02f86b01808459682f00850c92a69c0082520894"),
		"no text":               {0xff, 0xfe, 0xfd},
		"zero bytes":            []byte("a\x00b"),
	} {
		if status, answer := v.oldSign(text, false); status != http.StatusForbidden ||
			!strings.Contains(string(answer), "MessageRefused") {
			v.Errorf("%s: %d %q", name, status, answer)
		}
		if !json.Valid(fmt.Appendf(nil, "%q", text)) {
			continue // JSON has no such text
		}
		if status, answer := v.newSign(text, false); status != http.StatusForbidden ||
			!strings.Contains(string(answer), "MessageRefused") {
			v.Errorf("%s: %d %q", name, status, answer)
		}
	}
}

func (v *victim) refusesDocuments() {
	v.Helper()
	own, thief := v.account().String(), v.ticket(1).Recipient.String()
	field := func(pairs ...string) string {
		var out []string
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, fmt.Sprintf(`{"name":%q,"type":%q}`, pairs[i], pairs[i+1]))
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	spend := field("owner", "address", "spender", "address", "value", "uint256", "nonce", "uint256", "deadline",
		"uint256")
	message := fmt.Sprintf(`{"owner":%q,"spender":%q,"value":"1000","nonce":"0","deadline":"99999999999"}`, own, thief)
	plain := strings.Replace(strings.Replace(string(permit(v, "Permit", spend, message)),
		`,{"name":"verifyingContract","type":"address"}`, "", 1),
		fmt.Sprintf(`,"verifyingContract":%q`, v.chain.Info.Contracts["LivepeerToken"].Hex()), "", 1)
	for name, document := range map[string][]byte{
		"permit":                     permit(v, "Permit", spend, message),
		"permit under another name":  permit(v, "Greeting", spend, message),
		"permit of another protocol": []byte(plain),
		"transfer": permit(v, "TransferWithAuthorization",
			field("from", "address", "to", "address", "value", "uint256"),
			fmt.Sprintf(`{"from":%q,"to":%q,"value":"1"}`, own, thief)),
		"wallet's transaction": permit(v, "SafeTx", field("to", "address", "data", "bytes"),
			fmt.Sprintf(`{"to":%q,"data":"0x"}`, thief)),
		"domain alone": permit(v, "EIP712Domain", "[]", "{}"),
	} {
		for way, sign := range map[string]func([]byte, bool) (int, []byte){"old": v.oldSign, "new": v.newSign} {
			if status, answer := sign(document, true); status == http.StatusOK || len(answer) == signature.Length {
				v.Errorf("%s, %s route: signed: %d %q", name, way, status, answer)
			} else if name != "domain alone" && !strings.Contains(string(answer), "MessageRefused") {
				v.Errorf("%s, %s route: %d %q", name, way, status, answer)
			}
		}
	}
}
