package responses

import (
	"encoding/json"
	"strconv"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// state is a response's, or an item's.
type state string

const (
	inProgress state = "in_progress"
	completed  state = "completed"
	incomplete state = "incomplete"
	failed     state = "failed"
)

// outPart is one part of an output item.
type outPart struct {
	// refusal: it is why the model does not answer.
	refusal bool
	text    []byte
	// logprobs are JSON objects with commas between them.
	logprobs []byte
}

// outItem is one item of an answer.
type outItem struct {
	// kind is typeMessage, typeReasoning or typeCall.
	kind   string
	index  int
	status state
	// parts are those of a message, or the one text of reasoning.
	parts []outPart
	// callID, name and args are a call's.
	callID, name string
	args         []byte
}

// answer is what is known of an answer so far.
type answer struct {
	items []*outItem
	// finish is the chat's finish_reason, "" while there is none.
	finish string
	usage  *usage
	// problem is why the answer failed, as JSON.
	problem []byte
	// ended is when the answer ended, in Unix seconds, 0 while it has not.
	ended int64
}

// outcome is the response's state at its end, and why it is incomplete.
func (a *answer) outcome() (s state, why string) {
	switch a.finish {
	case "length":
		return incomplete, "max_output_tokens"
	case "content_filter":
		return incomplete, "content_filter"
	}
	return completed, ""
}

// Prefixes of the IDs of items. Read-only.
var prefixes = map[string]string{
	typeMessage: "msg_", typeReasoning: "rs_", typeCall: "fc_", typeCallOutput: "fco_", "call": "call_",
}

const (
	// responsePrefix begins the ID of a response.
	responsePrefix = "resp_"
	// inputNumber is the number of the first item of an input; those of outputs begin at 0.
	inputNumber = 0x8000
	numberSize  = 4
)

// itemID returns the ID of an item: that of its response and a number.
func itemID(kind, id string, number int) string {
	return string(appendDigits([]byte(prefixes[kind]+id), number))
}

// appendObject appends the response.
func (a *answer) appendObject(dst []byte, c *conversation, s state, keep bool) []byte {
	dst = append(dst, `{"id":"`+responsePrefix...)
	dst = append(append(dst, c.id...), `","object":"response"`...)
	dst = appendNumber(dst, "created_at", c.created)
	dst = appendText(dst, "status", string(s))
	dst = append(dst, `,"completed_at":`...)
	if s == completed {
		dst = strconv.AppendInt(dst, a.ended, 10)
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendField(dst, "error", a.problem)
	dst = append(dst, `,"incomplete_details":`...)
	if _, why := a.outcome(); s == incomplete && why != "" {
		dst = append(appendString(append(dst, `{"reason":`...), why), '}')
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, c.echo...)
	dst = strconv.AppendBool(append(dst, `,"store":`...), keep)
	dst = append(dst, `,"output":`...)
	dst = a.appendOutput(dst, c)
	dst = append(dst, `,"usage":`...)
	return append(a.usage.append(dst), '}')
}

func (a *answer) appendOutput(dst []byte, c *conversation) []byte {
	dst = append(dst, '[')
	for i, it := range a.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = it.append(dst, c)
	}
	return append(dst, ']')
}

// append appends the item.
func (it *outItem) append(dst []byte, c *conversation) []byte {
	dst = appendString(append(dst, `{"id":`...), itemID(it.kind, c.id, it.index))
	dst = appendText(dst, "type", it.kind)
	dst = appendText(dst, "status", string(it.status))
	switch it.kind {
	case typeCall:
		dst = appendText(dst, "call_id", it.callID)
		dst = appendText(dst, "name", it.name)
		return append(appendText(dst, "arguments", it.args), '}')
	case typeReasoning:
		dst = append(dst, `,"summary":[],"content":[`...)
	default:
		dst = append(dst, `,"role":"assistant","content":[`...)
	}
	for i := range it.parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = it.appendPart(dst, &it.parts[i])
	}
	return append(dst, "]}"...)
}

// appendPart appends a part of the item.
func (it *outItem) appendPart(dst []byte, p *outPart) []byte {
	switch {
	case it.kind == typeReasoning:
		return append(appendString(append(dst, `{"type":"reasoning_text","text":`...), p.text), '}')
	case p.refusal:
		return append(appendString(append(dst, `{"type":"refusal","refusal":`...), p.text), '}')
	}
	dst = appendString(append(dst, `{"type":"output_text","text":`...), p.text)
	dst = append(dst, `,"annotations":[],"logprobs":[`...)
	return append(append(dst, p.logprobs...), "]}"...)
}

// usage is a chat's.
type usage struct {
	Prompt     chatface.TokenCount `json:"prompt_tokens"`
	Completion chatface.TokenCount `json:"completion_tokens"`
	Total      chatface.TokenCount `json:"total_tokens"`
	InDetails  struct {
		Cached  chatface.TokenCount `json:"cached_tokens"`
		Written chatface.TokenCount `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	OutDetails struct {
		Reasoning chatface.TokenCount `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	// Cost is what the gateway says of the price.
	Cost json.RawMessage `json:"cost"`
}

func (u *usage) append(dst []byte) []byte {
	if u == nil {
		return append(dst, "null"...)
	}
	in, out := int64(u.Prompt), int64(u.Completion)
	total := int64(u.Total)
	if total == 0 {
		total = in + out
	}
	dst = strconv.AppendInt(append(dst, `{"input_tokens":`...), in, 10)
	dst = strconv.AppendInt(append(dst, `,"input_tokens_details":{"cached_tokens":`...), int64(u.InDetails.Cached), 10)
	dst = appendNumber(dst, "cache_write_tokens", int64(u.InDetails.Written))
	dst = strconv.AppendInt(append(dst, `},"output_tokens":`...), out, 10)
	dst = strconv.AppendInt(append(dst, `,"output_tokens_details":{"reasoning_tokens":`...),
		int64(u.OutDetails.Reasoning), 10)
	dst = appendNumber(append(dst, '}'), "total_tokens", total)
	return append(appendGiven(dst, namedValue{"cost", u.Cost}), '}')
}
