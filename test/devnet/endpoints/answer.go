package endpoints

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// allowed are the namespaces that clients may use.
func allowed() []string { return []string{"eth_", "net_", "web3_"} }

// answer executes one request.
func (e *Endpoint) answer(ctx context.Context, req request) response {
	e.faults.count(req.Method)
	result, err := e.result(ctx, req)
	return reply(req.ID, result, err)
}

func (e *Endpoint) result(ctx context.Context, req request) (json.RawMessage, error) {
	if !permitted(req.Method) {
		return nil, &failure{Code: codeMethod, Message: fmt.Sprintf("the method %s does not exist/is not available",
			req.Method)}
	}
	if result, err, done := e.faulty(ctx, req); done {
		return result, err
	}
	switch req.Method {
	case "eth_syncing":
		return json.RawMessage("false"), nil
	case "eth_maxPriorityFeePerGas":
		return json.RawMessage(`"0x0"`), nil
	case "eth_gasPrice":
		return quantity(e.node.BaseFee().Big())
	case "eth_sendRawTransaction":
		return e.send(ctx, req)
	}
	req.Params = withoutPending(req)
	if lag := e.faults.lag(req.Method); lag > 0 {
		return e.behind(ctx, req, lag)
	}
	return e.forward(ctx, req.Method, req.Params)
}

func permitted(method string) bool {
	for _, prefix := range allowed() {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// forward asks the node and adds what Arbitrum would say.
func (e *Endpoint) forward(ctx context.Context, method string, params []json.RawMessage) (json.RawMessage, error) {
	args := make([]any, len(params))
	for i := range params {
		args[i] = params[i]
	}
	var result json.RawMessage
	if err := e.client.CallContext(ctx, &result, method, args...); err != nil {
		if err.Error() == indexing {
			return nil, nil
		}
		return nil, err
	}
	switch method {
	case "eth_getBlockByNumber", "eth_getBlockByHash":
		return withL1(result)
	case "eth_feeHistory":
		return e.nextFee(result)
	}
	return result, nil
}

// indexing is what the node says of a transaction that it does not know as long as
// it looks through old blocks. This chain has none that it has not seen.
const indexing = "transaction indexing is in progress"

// faulty answers requests that meet a fault of a single message.
func (e *Endpoint) faulty(ctx context.Context, req request) (json.RawMessage, error, bool) {
	methods := []string{req.Method}
	if _, ok := e.faults.happens(methods, control.LimitExceeded); ok {
		return nil, &failure{Code: codeLimit, Message: "limit exceeded"}, true
	}
	switch req.Method {
	case "eth_chainId", "net_version":
		fault, ok := e.faults.happens(methods, control.WrongChain)
		if ok && req.Method == "net_version" {
			return json.RawMessage(fmt.Sprintf(`"%d"`, fault.ChainID)), nil, true
		}
		return json.RawMessage(fmt.Sprintf(`"%#x"`, fault.ChainID)), nil, ok
	case "eth_getTransactionReceipt":
		if _, ok := e.faults.happens(methods, control.StaleReceipts); ok {
			return nil, nil, true
		}
	case "eth_getLogs":
		return e.faultyLogs(ctx, req)
	}
	return e.falseReply(ctx, req)
}

func (e *Endpoint) faultyLogs(ctx context.Context, req request) (json.RawMessage, error, bool) {
	methods := []string{req.Method}
	if _, ok := e.faults.happens(methods, control.EmptyLogs); ok {
		return json.RawMessage("[]"), nil, true
	}
	fault, ok := e.faults.happensIf(methods, []control.Kind{control.LogRange}, func(f control.Fault) bool {
		return e.logRange(req) > f.Blocks
	})
	if ok {
		return nil, &failure{Code: codeLimit,
			Message: fmt.Sprintf("query returned more than 10000 results (this endpoint answers %d blocks)", fault.Blocks)}, true
	}
	return nil, nil, false
}

func quantity(n *big.Int) (json.RawMessage, error) { return json.Marshal((*hexutil.Big)(n)) }
