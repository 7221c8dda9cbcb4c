package libav_test

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/test/coretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEngineContract(t *testing.T) {
	clips := coretest.Clips{Bad: []byte("this is no media at all")}
	for i := range 3 {
		clips.Good = append(clips.Good, coretest.Clip{
			Data: makeClip(t, ".ts", pattern("320x180", 30,
				1)+" "+tone(1)+" "+x264+" "+aac+fmt.Sprintf(" -muxdelay 0 -muxpreload 0 -output_ts_offset %d", 10+i)),
			Duration: time.Second,
		})
	}
	coretest.EngineContract(t, func(t testing.TB) coretest.Engine { return engine(t) }, clips)
}
