package node

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// sampleTime is how old the GPU's figures may be: the node asks the driver once a
// second.
const sampleTime = 5 * time.Second

// figures looks at the GPU in the dashboard's document and in the metrics while so
// many streams run.
func (r *rig) figures(streams int) {
	var page adminapi.Dashboard
	var one *adminapi.GPU
	wanted := 0
	if r.card.Encodes && r.conditionOf("GPUEncoderMissing") == nil {
		wanted = streams * len(r.profiles)
	}
	_, shown := r.within(sampleTime, func() bool {
		if r.read(adminapi.PathDashboard, &page) != nil {
			return false
		}
		one = r.shown(&page)
		return one != nil && one.Sampled && one.EncoderSessions >= wanted && page.Sessions.Total >= streams
	})
	if one == nil {
		card.CheckThat(r, false, "the dashboard shows the GPU", r.card.Name, fmt.Sprintf("%+v", page.GPUs), "")
		return
	}
	card.CheckThat(r, shown, "the dashboard while streams run", fmt.Sprintf("%d sessions, %d encoders open", streams,
		wanted),
		fmt.Sprintf("%d sessions, %d encoders open, sampled %v", page.Sessions.Total, one.EncoderSessions, one.Sampled),
		"")
	card.CheckThat(r, one.Name == r.card.Name && one.Problem == "", "the dashboard names the GPU", r.card.Name,
		one.Name+" "+one.Problem, "")
	card.CheckThat(r, one.Memory == r.card.Memory, "the dashboard's memory of the GPU", mib(r.card.Memory),
		mib(one.Memory), "")
	card.CheckThat(r, one.Used > 0 && one.Used < one.Memory, "the dashboard's memory in use",
		"more than nothing, less than all", mib(one.Used), "")
	r.warmth("the dashboard's temperature", float64(one.Temperature))
	for _, load := range []int{one.Load, one.Encoder, one.Decoder} {
		card.CheckThat(r, load >= 0 && load <= 100, "a load in the dashboard", "0 to 100 %", fmt.Sprintf("%d %%", load), "")
	}
	card.RecordCheck(r, "load while streams run", fmt.Sprintf("GPU %d %%, encoder %d %%, decoder %d %%", one.Load,
		one.Encoder, one.Decoder), fmt.Sprintf("%d streams", streams))
	if one.Throttled != "" {
		card.RecordCheck(r, "the GPU runs slower than it could", one.Throttled, "")
	}
	for _, s := range page.Sessions.List {
		card.CheckThat(r, s.Device == r.device && s.Failed == 0, "the dashboard's session of "+s.Stream,
			"on "+r.device+", nothing failed",
			fmt.Sprintf("on %s, %d failed", s.Device, s.Failed), fmt.Sprintf("%.2f of real time", s.Ratio))
	}
	r.series(one)
}

// warmth checks a temperature in °C. NVML has none of some virtual GPUs.
func (r *rig) warmth(what string, degrees float64) {
	if degrees == 0 && r.card.Real() {
		card.SkipCheck(r, what, "the driver reports none")
		return
	}
	card.CheckThat(r, degrees > 0 && degrees < 110, what, "1 to 109 °C", fmt.Sprintf("%.0f °C", degrees), "")
}

// shown is the GPU in the dashboard, nil where it is not there.
func (r *rig) shown(page *adminapi.Dashboard) *adminapi.GPU {
	for i := range page.GPUs {
		if "gpu "+page.GPUs[i].ID == r.device {
			return &page.GPUs[i]
		}
	}
	return nil
}

// series looks at the metrics of the GPU.
func (r *rig) series(one *adminapi.GPU) {
	text, err := r.page("/metrics")
	if !card.NoError(r, err, "the metrics page", "") {
		return
	}
	value := func(name string) float64 {
		v, found := metric(text, name)
		if !found {
			card.CheckThat(r, false, "the metric "+name, "a series", "none", "")
			return -1
		}
		return v
	}
	total := value("tutti_gpu_memory_total_bytes")
	card.CheckThat(r, total == float64(r.card.Memory), "tutti_gpu_memory_total_bytes", mib(r.card.Memory),
		mib(int64(total)), "")
	used := value("tutti_gpu_memory_used_bytes")
	near := used > 0 && used < total && used > float64(one.Used)/2 && used < 2*float64(one.Used)
	card.CheckThat(r, near, "tutti_gpu_memory_used_bytes", "about the dashboard's "+mib(one.Used), mib(int64(used)), "")
	r.warmth("tutti_gpu_temperature_celsius", value("tutti_gpu_temperature_celsius"))
	for _, name := range []string{"tutti_gpu_load_ratio", "tutti_gpu_encoder_load_ratio",
		"tutti_gpu_decoder_load_ratio"} {
		v := value(name)
		card.CheckThat(r, v >= 0 && v <= 1, name, "0 to 1", fmt.Sprint(v), "")
	}
	encoders := value("tutti_gpu_encoder_sessions")
	card.CheckThat(r, encoders >= 0 && (r.card.Encodes || encoders == 0), "tutti_gpu_encoder_sessions",
		"none without an encoder", fmt.Sprint(encoders), "")
	xid := value("tutti_gpu_last_xid")
	card.CheckThat(r, xid == 0, "tutti_gpu_last_xid", "0, no critical error", fmt.Sprint(xid), "")
}

func mib(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
