# frozen_string_literal: true

module Assay
  # Does everything but call a driver, and so measures the harness.
  class NullDriver
    ALL = %w[SingleRow Prepared ExecuteMany Pipelined MultiRow MultiStatement InList Batch].freeze

    def name = 'null'
    def versions = ['1']
    def library = ''
    def schemes = ALL.to_h { |scheme| [scheme, 'nothing is sent; texts are built where the scheme builds them'] }

    def check(target)
      return if target.options.empty?

      raise Unsupported, "the driver null has no options; the request has #{target.options.keys.join(', ')}"
    end

    def open(_target) = NullSession.new
    def cannot_log_in?(_error) = false
  end

  # One connection to nothing.
  class NullSession
    def operation(scheme, work)
      case scheme
      when 'MultiRow' then repeated(work, work.template.multi_row)
      when 'InList' then repeated(work, work.template.in_list)
      when 'MultiStatement' then repeated(work, work.template.joined)
      else work.each_row(single(work))
      end
    end

    def autocommit(on); end
    def commit; end
    def cipher = ''
    def release; end
    def close; end

    private

    def single(work)
      return -> {} if work.rows.empty?
      return -> { work.template.inlined(work.next_row[0]) } if work.inline?

      -> { work.next_row }
    end

    def repeated(work, repeated)
      work.in_chunks(lambda do |count|
        groups = Array.new(count) { filled(repeated.parts, work.rows.empty? ? [] : work.next_row) }
        "#{repeated.before}#{groups.join(repeated.separator)}#{repeated.after}"
      end)
    end

    def filled(parts, row)
      text = +parts[0]
      row.each_with_index { |value, i| text << value.to_s << parts[i + 1] }
      text
    end
  end
end
