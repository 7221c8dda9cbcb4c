package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// sendGrace is how long the other endpoints have after one took a transaction.
const sendGrace = time.Second

// refusals are the messages with which endpoints refuse a transaction, in the order in which they decide when
// endpoints differ. Read-only.
var refusals = []struct {
	code  fault.Code
	words *regexp.Regexp
}{
	{fault.TxNonceUsed, words("nonce too low", "nonce is too low", "nonce has already been used", "old nonce",
		"invalid nonce")},
	{fault.TxFundsMissing, words("insufficient funds", "insufficient balance", "exceeds balance")},
	{fault.TxFeeTooLow, words("underpriced", "less than block base fee", "fee cap", "max fee per gas",
		"gas price too low", "fee too low")},
	{fault.TxGasTooLow, words("intrinsic gas", "gas limit reached", "exceeds block gas limit", "out of gas",
		"gas too low", "floor data gas")},
	{fault.TxRefused, words()},
}

// knownWords are the messages of an endpoint that has the transaction already. Read-only.
var knownWords = words("already known", "known transaction", "already imported", "already exists",
	"already in mempool", "already in the mempool")

// words matches one of the texts as whole words: an "unknown transaction type" is no "known transaction".
// Without texts it matches everything.
func words(texts ...string) *regexp.Regexp {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = `\b` + regexp.QuoteMeta(t) + `\b`
	}
	return regexp.MustCompile(strings.Join(quoted, "|"))
}

// SendTransaction sends the same signed bytes to every endpoint that accepts requests. It succeeds when one
// accepts it, has it already, or has mined it.
//
// A fault of the Tx codes other than TxOutcomeUnknown means that the transaction was refused and is pending
// nowhere. TxOutcomeUnknown means that it may be pending and must be kept. ChainUnavailable means that no
// endpoint got it.
func (p *Pool) SendTransaction(ctx context.Context, tx *types.Transaction) error {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return fault.Wrap(fault.TxRefused, "write a transaction", err)
	}
	hash := protocol.TxHash(tx.Hash())
	to := p.admitted()
	if len(to) == 0 {
		return p.unanswered("send a transaction", nil)
	}
	answers := gather(ctx, to, sendGrace, func(o outcome[bool]) bool { return o.err == nil },
		func(ctx context.Context, r *remote) (bool, error) {
			return true, r.submit(ctx, raw, hash)
		})
	return p.sent(ctx, answers, hash)
}

// submit sends the transaction to one endpoint.
func (r *remote) submit(ctx context.Context, raw []byte, hash protocol.TxHash) error {
	read := func(raw []byte) (bool, *failure) {
		var got protocol.Hash
		if json.Unmarshal(raw, &got) != nil || got != hash {
			return false, fail(garbage, "", "another hash than the transaction's")
		}
		return true, nil
	}
	_, err := ask(ctx, r, r.timeout, read, "eth_sendRawTransaction", hexutil.Bytes(raw))
	if answer, ok := errors.AsType[*RPCError](err); ok && knownWords.MatchString(strings.ToLower(answer.Message)) {
		return nil
	}
	return err
}

// sent combines the endpoints' answers.
func (p *Pool) sent(ctx context.Context, answers []outcome[bool], hash protocol.TxHash) error {
	var failures []*failure
	var refused []*RPCError
	unknown := false
	for _, o := range answers {
		if o.err == nil {
			return nil
		}
		if f, ok := errors.AsType[*failure](o.err); ok {
			failures = append(failures, f)
			unknown = unknown || !f.undelivered()
		} else if answer, ok := errors.AsType[*RPCError](o.err); ok {
			refused = append(refused, answer)
		}
	}
	code, text := decisiveRefusal(refused)
	if unknown || code == fault.TxNonceUsed {
		// It may be there anyway: mined, or accepted before the answer was lost.
		if _, _, err := p.transaction(context.WithoutCancel(ctx), lookup{op: "read a transaction"}, hash); err == nil {
			return nil
		}
	}
	switch {
	case unknown:
		f := p.unanswered("send a transaction", failures).(*fault.Fault)
		f.Code = fault.TxOutcomeUnknown
		return f
	case len(refused) > 0:
		return &fault.Fault{Code: code, Op: "send a transaction", Detail: text, Err: hiddenCause{refused[0]}}
	}
	return p.unanswered("send a transaction", failures)
}

// decisiveRefusal finds the refusal that decides.
func decisiveRefusal(refused []*RPCError) (fault.Code, string) {
	for _, class := range refusals {
		for _, answer := range refused {
			if class.words.MatchString(strings.ToLower(answer.Message)) {
				return class.code, answer.Message
			}
		}
	}
	return "", ""
}
