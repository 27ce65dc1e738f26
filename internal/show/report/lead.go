package report

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
)

// head of the page: what the readout says behind its answer, the evidence first.
func head(in Input) (out []section) {
	declared, _ := verdicts(in)
	for _, c := range []section{
		{"evidence", "Evidence", ratioBlocks(declared, basisOf(in))},
		{"lacks", "What this does not say", list(in.doc.Lacks)},
		{"differ", "What else differs between the sides", differences(in.doc.Differences)},
		{"next", "What to do next", list(in.doc.Next)},
	} {
		if len(c.Blocks) > 0 {
			out = append(out, c)
		}
	}
	return out
}

func list(sentences []string) []block {
	if len(sentences) == 0 {
		return nil
	}
	return []block{{Bullets: sentences}}
}

// verdicts of the run: those that were declared before the data, with the control, and the others.
func verdicts(in Input) (declared, others []readout.Verdict) {
	others = in.doc.Family(v1alpha1.FamilyExploratory) // the last ones
	return in.doc.Verdicts[:len(in.doc.Verdicts)-len(others)], others
}

// differences of each pair of targets, with the values of both sides, and what is known of them.
func differences(all []readout.Differences) (out []block) {
	for _, pair := range all {
		t := &table{Caption: pair.Value + " against " + pair.Baseline, Head: []column{{"", false}, {pair.Value, false}, {pair.Baseline, false}, {"what it means", false}}}
		for _, d := range pair.Differences {
			favours := "which side it can help is not known"
			if side := pair.Favours(d); side != "" {
				favours = "can help " + side
			}
			t.Rows = append(t.Rows, []cell{{Text: d.Name, Heading: true}, valueCell(d.Value), valueCell(d.Baseline), {Text: d.Meaning, Below: []string{favours}, Class: "prose"}})
		}
		out = append(out, block{Table: t})
	}
	return out
}
