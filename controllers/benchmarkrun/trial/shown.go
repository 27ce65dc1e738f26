package trial

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Shown is what the status shows of a record.
func Shown(rec contract.Record) v1alpha1.TrialStatus {
	st := v1alpha1.TrialStatus{
		Index: rec.Index, Attempt: rec.Attempt, Block: rec.Block, Cell: rec.Cell, Target: rec.Target,
		State: v1alpha1.TrialState(rec.State), Reason: rec.Reason, Message: rec.Message,
		Valid: rec.Valid, Disturbed: rec.Disturbed, Saturated: rec.Saturated, Steadiness: v1alpha1.SteadyState(rec.Steadiness), LimitedBy: shownLimits(rec.LimitedBy),
		ClientNodeNames: rec.ClientNodeNames, TargetNodeName: rec.TargetNodeName, ClientImageID: rec.ClientImageID, ClientQOSClass: rec.ClientQOSClass,
		WindowStartTime: microTime(rec.WindowStartTime), WindowEndTime: microTime(rec.WindowEndTime), CompletionTime: microTime(rec.CompletionTime),
		StartSkewSeconds: decimalOrAbsent(rec.StartSkewSeconds), StartSkewUncertaintySeconds: decimalOrAbsent(rec.StartSkewUncertaintySeconds),
		ResetSeconds: decimalOrAbsent(rec.ResetSeconds), RestartSeconds: decimalOrAbsent(rec.RestartSeconds), Result: rec.Result, Values: shownValues(rec.Values),
	}
	for name, value := range rec.Parameters {
		if st.Parameters == nil {
			st.Parameters = map[string]intstr.IntOrString{}
		}
		if value.IsInt {
			st.Parameters[name] = intstr.FromInt32(value.Int)
		} else {
			st.Parameters[name] = intstr.FromString(value.Text)
		}
	}
	for _, m := range rec.MachineSpeed {
		st.MachineSpeed = append(st.MachineSpeed, v1alpha1.MachineSpeed{
			Side: v1alpha1.SpeedSide(m.Side), Kernel: v1alpha1.SpeedKernel(m.Kernel), Seconds: v1alpha1.FourDigits(m.Seconds),
		})
	}
	return st
}

func shownValues(values []contract.RecordedValue) []v1alpha1.Value {
	var out []v1alpha1.Value
	for _, v := range values {
		out = append(out, v1alpha1.Value{Name: v.Name, Labels: v.Labels, Value: v1alpha1.Decimal(v.Value), Unit: v.Unit, Direction: string(v.Direction)})
	}
	return out
}

func shownLimits(limits []contract.RecordedLimit) []v1alpha1.Limit {
	var out []v1alpha1.Limit
	for _, l := range limits {
		limit := v1alpha1.Limit{By: v1alpha1.LimitKind(l.By)}
		if l.ThrottledShare != nil {
			limit.ThrottledShare = strconv.FormatFloat(*l.ThrottledShare, 'f', 4, 64)
		}
		out = append(out, limit)
	}
	return out
}

// ShownFindings of a record, as the status shows them.
func ShownFindings(rec contract.Record) []v1alpha1.Finding {
	out := Findings(rec.Target, rec.Findings)
	for i := range out {
		out[i].Trial = new(rec.Index)
	}
	return out
}

// Findings about a target, as the status shows them.
func Findings(target string, found []contract.RecordedFinding) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, f := range found {
		out = append(out, v1alpha1.Finding{Client: f.Client, Target: target, Check: f.Check, Severity: f.Severity, Message: f.Message})
	}
	return out
}

func decimalOrAbsent(v *float64) string {
	if v == nil {
		return ""
	}
	return v1alpha1.Decimal(*v)
}

func microTime(t *time.Time) *metav1.MicroTime {
	if t == nil {
		return nil
	}
	return &metav1.MicroTime{Time: *t}
}
