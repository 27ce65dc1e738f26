module github.com/assay-bench/assay

go 1.26.8
