package config

// feature is a part of the node that options belong to and that not every
// release has. Its text completes "… is not part of this release yet".
type feature string

const (
	featureLiveRunners feature = "live runners"
	featureRemoteWork  feature = "work on remote transcoders and workers"
	featureGPU         feature = "transcoding on GPUs"
	featureClientIP    feature = "the label for the client's address"
	featureSelection   feature = "scores from a service"
	featureFurther     feature = "advertising further instances"
	featureObjectStore feature = "object storage"
	featureRecordings  feature = "recording"
	featureQueue       feature = "the metadata queue"
	featureKafka       feature = "the Kafka event stream"
)

// present reports whether this release has the feature. A part of the node that
// is finished adds itself here; its options' notices then disappear.
func (f feature) present() bool {
	switch f {
	case "", featureRemoteWork, featureGPU, featureFurther, featureLiveRunners,
		featureClientIP, featureSelection, featureQueue, featureKafka:
		return true
	default:
		return false
	}
}

// missing completes a message about a feature that this release has not.
func (f feature) missing() string { return string(f) + " is not part of this release yet" }
