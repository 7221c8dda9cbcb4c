package pricing

import (
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// NeedsFeed reports whether a price can only be converted to wei by a price feed.
func NeedsFeed(u core.UnitPrice) bool {
	return !native(u.Price.Currency) && u.Price.Amount().Sign() != 0
}

// Check is the error of an impossible price, as far as it is known without a feed: the faults
// PriceOutOfRange, PriceRoundsToZero and PriceCurrencyUnknown. feed is the currency of the price feed, ""
// while it is not known.
func Check(u core.UnitPrice, use Use, feed string) error {
	if native(u.Price.Currency) {
		return checkPrice(u, use, nil)
	}
	if feed != "" && NeedsFeed(u) && !strings.EqualFold(feed, u.Price.Currency) {
		return fault.New(fault.PriceCurrencyUnknown, opCheck, unknownCurrencyText(u.Price.Currency, feed))
	}
	return checkPlausible(u)
}

// ParseGateways reads the prices for single gateways:
// {"gateways":[{"ethaddress","priceperunit","currency","pixelsperunit"}]}, or with the list's old name,
// broadcasters. use and feed are as for Check. Every mistake is reported, and entries without one are
// returned anyway.
func ParseGateways(content []byte, use Use, feed string) (map[core.Address]core.UnitPrice, []Mistake) {
	r := &reader{content: content, use: use, feed: feed, lists: []string{"gateways", "broadcasters"},
		fields: []string{"ethaddress", "priceperunit", "currency", "pixelsperunit"}}
	r.read()
	out := make(map[core.Address]core.UnitPrice)
	for _, e := range r.entries {
		gateway, known := r.address(e)
		u, ok := r.price(e, "priceperunit", "pixelsperunit")
		_, twice := out[gateway]
		switch {
		case !known || !ok:
		case twice:
			r.addFieldMistake(e, "ethaddress", "there is a price for "+gateway.String()+" already", "keep one of them")
		default:
			out[gateway] = u
		}
	}
	return out, r.result()
}

func (r *reader) address(e entry) (core.Address, bool) {
	const remedy = "write the gateway's account, 0x and 40 hexadecimal digits"
	f, ok := e.fields["ethaddress"]
	if !ok {
		r.addFieldMistake(e, "ethaddress", "it is missing", remedy)
		return core.Address{}, false
	}
	a, err := core.ParseAddress(f.text)
	switch {
	case err != nil:
		r.addFieldMistake(e, "ethaddress", clip(f.text)+" is "+err.Error(), remedy)
	case a.IsZero():
		r.addFieldMistake(e, "ethaddress", "no gateway has the address 0", remedy)
	default:
		return a, true
	}
	return core.Address{}, false
}

// DefaultModel stands for every model of a pipeline in a document of limits.
const DefaultModel = "default"

// ParseCapabilities reads the maximum price per pipeline and model:
// {"capabilities_prices":[{"pipeline","model_id","price_per_unit","pixels_per_unit", "currency"}]}. A model
// that is missing or "default" is every model of the pipeline; a price that is missing or 0 falls back to the
// general limit. Every mistake is reported, and entries without one are returned anyway.
func ParseCapabilities(content []byte, feed string) (Limits, []Mistake) {
	r := &reader{content: content, use: Paid, feed: feed, lists: []string{"capabilities_prices"},
		fields: []string{"pipeline", "model_id", "price_per_unit", "pixels_per_unit", "currency"}}
	r.read()
	out := Limits{Pipelines: make(map[capability.ID]core.UnitPrice), Models: make(map[inference.Model]core.UnitPrice)}
	for _, e := range r.entries {
		m, known := r.model(e)
		if _, priced := e.fields["price_per_unit"]; !known || !priced {
			continue
		}
		u, ok := r.price(e, "price_per_unit", "pixels_per_unit")
		_, general := out.Pipelines[m.Capability]
		_, named := out.Models[m]
		switch {
		case !ok:
		case m.ID == "" && general, named:
			r.addFieldMistake(e, "pipeline", "there is a limit for "+clip(m.String())+" already", "keep one of them")
		case m.ID == "":
			out.Pipelines[m.Capability] = u
		default:
			out.Models[m] = u
		}
	}
	return out, r.result()
}

// model reads the model of a limit; its ID is "" for all of a pipeline.
func (r *reader) model(e entry) (inference.Model, bool) {
	pipeline, ok := e.fields["pipeline"]
	if !ok {
		r.addFieldMistake(e, "pipeline", "it is missing", `write a pipeline's name such as "llm"`)
		return inference.Model{}, false
	}
	id, err := fromPipeline(pipeline.text)
	if err != nil || !priced(id) || kindOf(pipeline.raw) != '"' {
		r.addFieldMistake(e, "pipeline", clip(pipeline.text)+" is no pipeline",
			`write a pipeline's name such as "llm" or "text-to-image"`)
		return inference.Model{}, false
	}
	f, ok := e.fields["model_id"]
	if ok && kindOf(f.raw) != '"' {
		r.addFieldMistake(e, "model_id", clip(f.text)+" is no model's name",
			`write it in quotes, or "default" for all models`)
		return inference.Model{}, false
	}
	if f.text == DefaultModel {
		f.text = ""
	}
	return inference.Model{Capability: id, ID: f.text}, true
}

// priced reports whether a capability is a pipeline of AI, or BYOC.
func priced(id capability.ID) bool {
	return id >= capability.TextToImage && id <= capability.TextToSpeech || id == capability.BYOC
}

// fromPipeline knows BYOC too, which is no pipeline to the network: its models are the names of capabilities.
func fromPipeline(name string) (capability.ID, error) {
	if name == capability.BYOC.Pipeline() {
		return capability.BYOC, nil
	}
	return capability.FromPipeline(name)
}

// ParseModel reads a pipeline and a model's ID as the admin API has them; "" and
// "default" are all models of the pipeline. It is false where there is no such
// pipeline.
func ParseModel(pipeline, id string) (inference.Model, bool) {
	c, err := fromPipeline(pipeline)
	if err != nil || !priced(c) {
		return inference.Model{}, false
	}
	if id == DefaultModel {
		id = ""
	}
	return inference.Model{Capability: c, ID: id}, true
}
